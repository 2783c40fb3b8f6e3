"""The excitable-neuron paper on speaker recognition: Tables 6 and 7."""
