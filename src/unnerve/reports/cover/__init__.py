"""The report of neuron coverage."""
