// When the data of an item can be read: the values of `kSecAttrAccessible`.
//
// All are immutable objects that nobody changes: sharing them is safe.

nonisolated(unsafe) public let kSecAttrAccessibleWhenUnlocked: CFString = "ak"
nonisolated(unsafe) public let kSecAttrAccessibleAfterFirstUnlock: CFString = "ck"
@available(
    *, deprecated,
    message:
        "Items of this class are never locked. Use kSecAttrAccessibleAfterFirstUnlock, or a class that protects more."
)
nonisolated(unsafe) public let kSecAttrAccessibleAlways: CFString = unsafe DeprecatedConstants.accessibleAlways
nonisolated(unsafe) public let kSecAttrAccessibleWhenUnlockedThisDeviceOnly: CFString = "aku"
nonisolated(unsafe) public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = "cku"
@available(
    *, deprecated,
    message:
        "Items of this class are never locked. Use kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, or a class that protects more."
)
nonisolated(unsafe) public let kSecAttrAccessibleAlwaysThisDeviceOnly: CFString =
    unsafe DeprecatedConstants.accessibleAlwaysThisDeviceOnly
nonisolated(unsafe) public let kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly: CFString = "akpu"
nonisolated(unsafe) public let kSecAttrAccessibleAlwaysPrivate: CFString = "dk"
nonisolated(unsafe) public let kSecAttrAccessibleAlwaysThisDeviceOnlyPrivate: CFString = "dku"
nonisolated(unsafe) public let kSecAttrAccessibleUntilReboot: CFString = "f"
