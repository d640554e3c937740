// Signposts are for Instruments, which does not exist here: they compile, and record nothing.

/// A number that tells intervals of one name apart.
@frozen
public struct OSSignpostID: RawRepresentable, Hashable, Comparable, Sendable {
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    public init(_ value: UInt64) { rawValue = value }

    /// A number that no other call gives.
    public init(log: OSLog) { rawValue = .random(in: 1..<(.max)) }

    /// The number of an object.
    public init(log: OSLog, object: AnyObject) { rawValue = UInt64(UInt(bitPattern: ObjectIdentifier(object))) }

    // `<os/signpost.h>`
    public static let null = OSSignpostID(0)
    public static let invalid = OSSignpostID(.max)
    public static let exclusive = OSSignpostID(0xEEEE_B0B5_B2B2_EEEE)

    public static func < (left: OSSignpostID, right: OSSignpostID) -> Bool { left.rawValue < right.rawValue }
}

/// The kinds of signposts.
@frozen
public struct OSSignpostType: RawRepresentable, Hashable, Sendable {
    public var rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public init(_ rawValue: UInt8) { self.rawValue = rawValue }

    public static var event: OSSignpostType { OSSignpostType(0) }
    public static var begin: OSSignpostType { OSSignpostType(1) }
    public static var end: OSSignpostType { OSSignpostType(2) }
}

/// Records nothing.
public func os_signpost(
    _ type: OSSignpostType, dso: UnsafeRawPointer = #dsohandle, log: OSLog, name: StaticString,
    signpostID: OSSignpostID = .exclusive
) {}

/// Records nothing.
public func os_signpost(
    _ type: OSSignpostType, dso: UnsafeRawPointer = #dsohandle, log: OSLog, name: StaticString,
    signpostID: OSSignpostID = .exclusive, _ format: StaticString, _ arguments: any CVarArg...
) {}

/// The message of a signpost. Its values are never made.
public typealias SignpostMetadata = OSLogMessage

/// An interval that has begun.
public final class OSSignpostIntervalState: Sendable {
    let id: OSSignpostID

    init(id: OSSignpostID) { self.id = id }

    public static func beginState(id: OSSignpostID) -> OSSignpostIntervalState { OSSignpostIntervalState(id: id) }
}

/// Signposts of a subsystem and a category, which record nothing.
public struct OSSignposter: Sendable {
    private let log: OSLog

    public static var disabled: OSSignposter { OSSignposter(logHandle: .disabled) }

    public init() { log = .default }

    public init(subsystem: String, category: String) { log = OSLog(subsystem: subsystem, category: category) }

    public init(subsystem: String, category: OSLog.Category) { log = OSLog(subsystem: subsystem, category: category) }

    public init(logHandle: OSLog) { log = logHandle }

    public init(logger: Logger) { log = .default }

    public var isEnabled: Bool { false }

    public func makeSignpostID() -> OSSignpostID { OSSignpostID(log: log) }

    public func makeSignpostID(from object: AnyObject) -> OSSignpostID { OSSignpostID(log: log, object: object) }

    public func emitEvent(_ name: StaticString, id: OSSignpostID = .exclusive) {}

    public func emitEvent(_ name: StaticString, id: OSSignpostID = .exclusive, _ message: SignpostMetadata) {}

    public func beginInterval(_ name: StaticString, id: OSSignpostID = .exclusive) -> OSSignpostIntervalState {
        OSSignpostIntervalState(id: id)
    }

    public func beginInterval(
        _ name: StaticString, id: OSSignpostID = .exclusive, _ message: SignpostMetadata
    ) -> OSSignpostIntervalState {
        OSSignpostIntervalState(id: id)
    }

    public func endInterval(_ name: StaticString, _ state: OSSignpostIntervalState) {}

    public func endInterval(_ name: StaticString, _ state: OSSignpostIntervalState, _ message: SignpostMetadata) {}

    public func withIntervalSignpost<T>(
        _ name: StaticString, id: OSSignpostID = .exclusive, around task: () throws -> T
    ) rethrows -> T {
        try task()
    }

    public func withIntervalSignpost<T>(
        _ name: StaticString, id: OSSignpostID = .exclusive, _ message: SignpostMetadata, around task: () throws -> T
    ) rethrows -> T {
        try task()
    }
}
