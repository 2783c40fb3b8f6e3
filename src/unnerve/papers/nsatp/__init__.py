"""NSATP (Zhang et al., 2019): test inputs whose class probabilities differ little are sensitive to noise."""
