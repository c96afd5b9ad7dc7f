import mxnet as mx
from mxnet import nd

kv = mx.kv.create('local')
shape = (3, 3)
key = 3 # Using a single key for simplicity in this example

# 1. Initialization
print("1. Initialization")
kv.init(key, nd.ones(shape) * 2)
a = nd.zeros(shape)
kv.pull(key, out=a)
print(a.asnumpy())

# 2. Push (overwrite)
print("\n2. Push (overwrite)")
kv.push(key, nd.ones(shape) * 8)
kv.pull(key, out=a)
print(a.asnumpy())

# 3. Push from multiple sources (aggregation - sum by default)
print("\n3. Push from multiple sources (aggregation)")
# Re-initialize for clarity of aggregation, or ensure previous value is known.
kv.init(key, nd.zeros(shape)) # Initialize to zeros
num_devices = 4
contexts = [mx.cpu(i) for i in range(num_devices)]
arrays_to_push = [nd.ones(shape, ctx=c) for c in contexts]
kv.push(key, arrays_to_push)
kv.pull(key, out=a)
print(a.asnumpy())

# 4. Custom Updater
print("\n4. Custom Updater")
def custom_updater_example(key_id, input_value, stored_value):
    print(f"Updater logic: key {key_id}, input shape {input_value.shape}, stored shape {stored_value.shape}")
    stored_value[:] += input_value * 2 # Modify stored_value in-place

kv.set_updater(custom_updater_example)
# 'a' currently holds [[4., 4., 4.]] from the previous step.
kv.push(key, nd.ones(shape)) # input_value is ones(shape)
# Updater: stored_value (4) becomes 4 + (1*2) = 6
kv.pull(key, out=a)
print(a.asnumpy())

# 5. Pull to multiple devices
print("\n5. Pull to multiple devices")
b_list = [nd.zeros(shape, ctx=c) for c in contexts]
kv.pull(key, out=b_list)
print(b_list[1].asnumpy()) # Value on one of the devices
