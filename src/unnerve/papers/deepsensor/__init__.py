"""DeepSensor (Jin et al., 2022 and 2023): swarms that maximise the number of reacting neurons find errors."""
