"""The DeepSensor papers' second half: faulty training, and repair."""
