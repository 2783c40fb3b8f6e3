"""KuK (Zhang et al., 2020): confidence and dropout uncertainty tell adversarial inputs from benign ones."""
