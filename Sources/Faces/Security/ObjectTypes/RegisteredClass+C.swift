import Foundation

// Exported by Foundation; see `ObjectRuntime`.
@_silgen_name("_CFRuntimeRegisterClass") private func runtimeRegister(_ description: UnsafeRawPointer) -> UInt
@_silgen_name("_CFRuntimeBridgeTypeToClass") private func runtimeBridge(_ type: UInt, _ isa: UnsafeRawPointer)

/// The registration of a class of this module, so that its objects are also objects to C.
///
/// Their first stored property must be ``infoWord``: there C looks for the type.
struct RegisteredClass: Sendable {
    let typeID: CFTypeID

    /// The number of the type, and the mark that says the object was not made by C.
    var infoWord: UInt64 { UInt64(typeID) << 8 | 0x80 }

    /// - Parameter objectClass: a final class, registered once in the life of the process.
    init(_ objectClass: NSObject.Type, name: StaticString) {
        // The description, `CFRuntimeClass` in C, must live as long as the process.
        let description = UnsafeMutableRawPointer.allocate(byteCount: Layout.byteCount, alignment: 8)
        unsafe description.initializeMemory(as: UInt8.self, repeating: 0, count: Layout.byteCount)
        unsafe description.storeBytes(of: UInt(bitPattern: name.utf8Start), toByteOffset: Layout.name, as: UInt.self)
        unsafe description.storeBytes(of: Self.isEqual, toByteOffset: Layout.equal, as: Equal.self)
        unsafe description.storeBytes(of: Self.hash, toByteOffset: Layout.hash, as: Hash.self)
        unsafe description.storeBytes(of: Self.describe, toByteOffset: Layout.formattingDescription, as: Describe.self)
        unsafe description.storeBytes(
            of: Self.describeForDebugging, toByteOffset: Layout.debugDescription, as: Debug.self)
        typeID = unsafe runtimeRegister(description)
        unsafe runtimeBridge(typeID, unsafeBitCast(objectClass as AnyObject.Type, to: UnsafeRawPointer.self))
    }

    private enum Layout {
        static let name = 8
        static let equal = 40
        static let hash = 48
        static let formattingDescription = 56
        static let debugDescription = 64
        static let byteCount = 128
    }

    private typealias Equal = @convention(c) (UnsafeRawPointer, UnsafeRawPointer) -> UInt8
    private typealias Hash = @convention(c) (UnsafeRawPointer) -> UInt
    private typealias Describe = @convention(c) (UnsafeRawPointer, UnsafeRawPointer?) -> UnsafeRawPointer?
    private typealias Debug = @convention(c) (UnsafeRawPointer) -> UnsafeRawPointer?

    private static let isEqual: Equal = { one, other in
        unsafe object(at: one).isEqual(object(at: other)) ? 1 : 0
    }
    private static let hash: Hash = { unsafe UInt(bitPattern: object(at: $0).hash) }
    private static let describe: Describe = { address, _ in unsafe description(of: address) }
    private static let describeForDebugging: Debug = { unsafe description(of: $0) }

    private static func description(of address: UnsafeRawPointer) -> UnsafeRawPointer {
        unsafe UnsafeRawPointer(Unmanaged.passRetained(NSString(string: object(at: address).description)).toOpaque())
    }

    private static func object(at address: UnsafeRawPointer) -> NSObject {
        unsafe Unmanaged<NSObject>.fromOpaque(address).takeUnretainedValue()
    }
}
