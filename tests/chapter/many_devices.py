keys = [10, 11, 12] # New set of keys
shape = (2,2)
num_devices = 2
contexts = [mx.cpu(i) for i in range(num_devices)]

# Initialize keys
kv.init(keys, [nd.ones(shape) * 0.5 for _ in keys]) # Initial value 0.5

# Data to push: for each key, a list of NDArrays, one from each device
# E.g., key 10 gets [data_dev0_key10, data_dev1_key10]
# If custom_updater (val += input*2) is active, and sum aggregation occurs first:
# For key 10: dev0 pushes 1, dev1 pushes 1. Aggregated input = 2.
# Stored = 0.5. New_stored = 0.5 + 2*2 = 4.5
data_to_push_multi_device = []
for _ in keys:
    key_data_from_devices = [nd.ones(shape, ctx=c) for c in contexts]
    data_to_push_multi_device.append(key_data_from_devices)

kv.push(keys, data_to_push_multi_device)

# Pull to multiple devices (or a list of NDArrays on one device)
pulled_data_multi_device = [[nd.zeros(shape, ctx=c) for c in contexts] for _ in keys]
kv.pull(keys, out=pulled_data_multi_device)

print("\nValue for one key (e.g., key 11) on one device (e.g., device 1) after multi-device push:")
print(pulled_data_multi_device[1][1].asnumpy()) # Data for key 11, on context 1
