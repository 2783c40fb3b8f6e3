"""The neurons of a module: which layers count, what they show in a pass, and passes with some of them off."""
