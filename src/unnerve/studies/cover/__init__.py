"""Neuron coverage of inputs and of campaigns."""
