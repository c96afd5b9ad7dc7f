import mxnet as mx
from mxnet import nd

# Create a local KVStore (for single-machine, multi-device scenarios)
kv = mx.kv.create('local')

shape = (3, 3)
key = 3

# Initialize key '3' with a 3x3 NDArray of 2s
kv.init(key, nd.ones(shape) * 2)

# Create an empty NDArray to pull the value into
a = nd.zeros(shape)
kv.pull(key, out=a)

print("Initialized value:")
print(a.asnumpy())

kv.push(key, nd.ones(shape) * 8)
kv.pull(key, out=a) # Pull the updated value

print("Value after push:")
print(a.asnumpy())

# Initialize key '3' again for this example, perhaps to zero or a known state.
kv.init(key, nd.zeros(shape)) # Re-initialize to see aggregation clearly

num_devices = 4
# contexts = [mx.gpu(i) for i in range(num_devices)] # If GPUs are available
contexts = [mx.cpu(i) for i in range(num_devices)] # Using CPUs for broad compatibility

# Each device has a piece of data to push (e.g., gradients)
# For this example, let's assume each pushes an array of ones.
# The KVStore will sum these by default if pushed in a list for a single key.
arrays_to_push = [nd.ones(shape, ctx=contexts[i]) for i in range(num_devices)]
kv.push(key, arrays_to_push)
kv.pull(key, out=a)

print("Value after pushing from multiple sources (summed):")
print(a.asnumpy())

# Define a custom updater
def custom_updater(key_id, input_value, stored_value):
    print(f"Updater called on key: {key_id}")
    # Example update rule: stored_value = stored_value + input_value * 2
    stored_value[:] += input_value * 2 # Update in-place

kv.set_updater(custom_updater)

# Current value in 'a' and KVStore for key '3' is [[4., 4., 4.]]
# Let's push a new value
kv.push(key, nd.ones(shape))
# The updater will be called: stored_value (4) += input_value (1) * 2 => 4 + 2 = 6

kv.pull(key, out=a)
print("Value after push with custom updater:")
print(a.asnumpy())

b_list = [nd.zeros(shape, ctx=contexts[i]) for i in range(num_devices)]
kv.pull(key, out=b_list)

print("Value pulled onto one of the devices:")
print(b_list[1].asnumpy()) # Displaying the value on the second device/context
