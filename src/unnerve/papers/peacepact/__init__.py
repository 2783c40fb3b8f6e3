"""PEACEPACT (Li et al., 2020): such inputs become adversarial after fewer random perturbations."""
