"""Networks: weights as files, and training in PyTorch.

policy    weights of a network that judges the moves in one theory
judge     weights of a network that judges critical pairs, in any theory
tensors   arrays with a description, as files
tree_net, pair_net   the same networks in PyTorch, for training
bundled   the weights that are shipped
"""
