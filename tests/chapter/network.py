import mxnet as mx
from mxnet import sym

# Define symbolic variables for inputs
user = sym.Variable('user')
item = sym.Variable('item')
score = sym.Variable('score') # Label for training

# Hyperparameters (dummy dimensions for example)
k = 64  # Dimensionality of latent factors
max_user_id = 1000 # Number of unique users
max_item_id = 500  # Number of unique items

# User embedding layer
user_embedding = sym.Embedding(data=user, input_dim=max_user_id, output_dim=k, name='user_embedding')

# Item embedding layer
item_embedding = sym.Embedding(data=item, input_dim=max_item_id, output_dim=k, name='item_embedding')

# Predict score via inner product of user and item embeddings
pred = user_embedding * item_embedding
pred = sym.sum_axis(data=pred, axis=1, name='sum_ reducción') # Corrected name for clarity
pred = sym.Flatten(data=pred, name='flatten_output')

# Define the loss function (e.g., Linear Regression Output for mean squared error)
# This also makes 'score' the label for this network output
network_symbol = sym.LinearRegressionOutput(data=pred, label=score, name='lro')

# To actually plot (if Graphviz is installed):
# viz_graph = mx.viz.plot_network(network_symbol)
# viz_graph.render("matrix_factorization_network", view=False) # Saves to PDF

print("Textual description of the network symbol:")
print("Inputs: 'user', 'item' (features); 'score' (label).")
print(f"1. 'user' -> Embedding (name='user_embedding', input_dim={max_user_id}, output_dim={k})")
print(f"2. 'item' -> Embedding (name='item_embedding', input_dim={max_item_id}, output_dim={k})")
print("3. Outputs of user_embedding and item_embedding -> Element-wise Multiplication")
print("4. Result -> Sum along axis 1 (name='sum_reducción')")
print("5. Result -> Flatten (name='flatten_output')")
print("6. Result (prediction), 'score' (label) -> LinearRegressionOutput (name='lro') for loss calculation.")
print("This network structure represents a common matrix factorization model.")

# For more detailed information on specific layers and their connections,
# one could iterate through network_symbol.get_internals() or analyze the JSON representation:
# print(network_symbol.tojson())
