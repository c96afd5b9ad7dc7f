keys = [5, 7, 9]
shape = (2,2) # Using a different shape for variety

# Initialize multiple keys
kv.init(keys, [nd.ones(shape) for _ in keys])

# Push new values to these keys (using the custom_updater from before if still set)
# To avoid unintended effects from previous custom_updater, let's use default updater for this section
# For default ASSIGN behavior with individual pushes:
kv.set_updater(None) # Or, more explicitly, mx.optimizer.Optimizer.get_updater(mx.optimizer.create('sgd')) would yield a no-op essentially for basic push/pull if no training.
                     # For simple overwrite, push new values. If custom updater still active, it will apply.
                     # Let's assume default behavior or re-init KVStore for clean state.
# For this example, let's assume a fresh KV or one where the updater will simply add.
# If using the custom_updater (stored += input * 2):
# init_val = 1. pushed_val = 1. result = 1 + 1*2 = 3.
kv.push(keys, [nd.ones(shape) for _ in keys])

outputs_list = [nd.zeros(shape) for _ in keys]
kv.pull(keys, out=outputs_list)

print("\nValue for one of the keys (e.g., key 7) after multi-key operations:")
# The index in outputs_list corresponds to the index in keys list
print(outputs_list[1].asnumpy()) # Corresponds to key 7
