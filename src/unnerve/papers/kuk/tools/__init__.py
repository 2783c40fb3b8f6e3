"""KuK beside testing tools: DeepHunter and TensorFuzz."""
