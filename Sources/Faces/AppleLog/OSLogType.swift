/// The importance of a message: `<os/log.h>`.
@frozen
public struct OSLogType: RawRepresentable, Hashable, Sendable {
    public var rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public init(_ rawValue: UInt8) { self.rawValue = rawValue }

    public static var `default`: OSLogType { OSLogType(0x00) }
    public static var info: OSLogType { OSLogType(0x01) }
    public static var debug: OSLogType { OSLogType(0x02) }
    public static var error: OSLogType { OSLogType(0x10) }
    public static var fault: OSLogType { OSLogType(0x11) }
}

extension OSLogType {
    /// The types by their names in `LATCHKEY_LOG`, from the least important one.
    static var names: [(name: String, type: OSLogType)] {
        [("debug", .debug), ("info", .info), ("default", .default), ("error", .error), ("fault", .fault)]
    }

    /// The place in the order of importance; a type without a name is in the place of `default`.
    var rank: Int {
        let names = Self.names
        return names.firstIndex { $0.type == self } ?? names.firstIndex { $0.type == .default } ?? 0
    }

    /// The priority in the journal, as `<syslog.h>` numbers it.
    var priority: Int {
        switch self {
        case .debug: 7
        case .info: 6
        case .error: 3
        case .fault: 2
        default: 5
        }
    }
}
