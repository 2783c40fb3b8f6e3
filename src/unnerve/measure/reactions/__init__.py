"""How strongly each neuron reacts when an input is changed."""
