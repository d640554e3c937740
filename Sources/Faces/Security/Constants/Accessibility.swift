public import Foundation
import LatchkeyAccessControl

// The values of `kSecAttrAccessible`: the states of the device in which an item's data can be read.
//
// All are immutable objects, so sharing them is safe.

nonisolated(unsafe) public let kSecAttrAccessibleWhenUnlocked: CFString = .name(.whenUnlocked)
nonisolated(unsafe) public let kSecAttrAccessibleAfterFirstUnlock: CFString = .name(.afterFirstUnlock)
@available(
    *, deprecated,
    message:
        "Items of this class are never locked. Use kSecAttrAccessibleAfterFirstUnlock, or a class that protects more."
)
nonisolated(unsafe) public let kSecAttrAccessibleAlways: CFString = unsafe DeprecatedConstants.accessibleAlways
nonisolated(unsafe) public let kSecAttrAccessibleWhenUnlockedThisDeviceOnly: CFString = .name(
    .whenUnlockedThisDeviceOnly)
nonisolated(unsafe) public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = .name(
    .afterFirstUnlockThisDeviceOnly)
@available(
    *, deprecated,
    message:
        "Items of this class are never locked. Use kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, or a class that protects more."
)
nonisolated(unsafe) public let kSecAttrAccessibleAlwaysThisDeviceOnly: CFString =
    unsafe DeprecatedConstants.accessibleAlwaysThisDeviceOnly
nonisolated(unsafe) public let kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly: CFString = .name(
    .whenPasscodeSetThisDeviceOnly)
nonisolated(unsafe) public let kSecAttrAccessibleAlwaysPrivate: CFString = .name(.always)
nonisolated(unsafe) public let kSecAttrAccessibleAlwaysThisDeviceOnlyPrivate: CFString = .name(.alwaysThisDeviceOnly)
nonisolated(unsafe) public let kSecAttrAccessibleUntilReboot: CFString = .name(.untilReboot)
