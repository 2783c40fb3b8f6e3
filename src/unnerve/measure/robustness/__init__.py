"""How far a model's answers are from changing: measures of robustness."""
