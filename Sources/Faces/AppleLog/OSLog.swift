import Glibc

/// A log of a subsystem and a category, which stand before each of its messages.
public final class OSLog: Sendable {
    /// A category with a meaning for Apple's Instruments. It is an ordinary one here.
    public struct Category: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        public static let pointsOfInterest = Category(rawValue: "PointsOfInterest")
        public static let dynamicTracing = Category(rawValue: "DynamicTracing")
        public static let dynamicStackTracing = Category(rawValue: "DynamicStackTracing")
    }

    /// The log without a subsystem.
    public static let `default` = OSLog(subsystem: "", category: "", isDisabled: false)
    /// A log that writes nothing.
    public static let disabled = OSLog(subsystem: "", category: "", isDisabled: true)

    let subsystem: String
    let category: String
    private let isDisabled: Bool

    public convenience init(subsystem: String, category: String) {
        self.init(subsystem: subsystem, category: category, isDisabled: false)
    }

    public convenience init(subsystem: String, category: Category) {
        self.init(subsystem: subsystem, category: category.rawValue, isDisabled: false)
    }

    private init(subsystem: String, category: String, isDisabled: Bool) {
        (self.subsystem, self.category, self.isDisabled) = (subsystem, category, isDisabled)
    }

    /// True if a message of this type is written. `LATCHKEY_LOG` chooses the least important one.
    public func isEnabled(type: OSLogType) -> Bool {
        !isDisabled && LogOutput.standard.writes(type)
    }

    /// False: there is no program here that would read signposts.
    public var signpostsEnabled: Bool { false }

    /// Writes a message, whose values are made only if it is written. The caller finds its `errno` as it was.
    func write(_ type: OSLogType, _ text: () -> String) {
        let code = errno
        defer { errno = code }
        guard isEnabled(type: type) else { return }
        LogOutput.standard.write(text(), type: type, subsystem: subsystem, category: category)
    }
}
