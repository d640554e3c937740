/// Writes messages of a subsystem and a category, with values that are redacted unless they are said to be public.
public struct Logger: Sendable {
    private let log: OSLog

    /// The log without a subsystem.
    public init() { log = .default }

    public init(subsystem: String, category: String) {
        log = OSLog(subsystem: subsystem, category: category)
    }

    public init(_ logObj: OSLog) { log = logObj }

    /// Writes a message of type `default`.
    public func log(_ message: OSLogMessage) { log(level: .default, message) }

    public func log(level: OSLogType, _ message: OSLogMessage) {
        log.write(level) { message.text }
    }

    /// Writes a message of type `debug`.
    public func trace(_ message: OSLogMessage) { log(level: .debug, message) }
    public func debug(_ message: OSLogMessage) { log(level: .debug, message) }
    public func info(_ message: OSLogMessage) { log(level: .info, message) }
    /// Writes a message of type `default`.
    public func notice(_ message: OSLogMessage) { log(level: .default, message) }
    /// Writes a message of type `error`.
    public func warning(_ message: OSLogMessage) { log(level: .error, message) }
    public func error(_ message: OSLogMessage) { log(level: .error, message) }
    /// Writes a message of type `fault`.
    public func critical(_ message: OSLogMessage) { log(level: .fault, message) }
    public func fault(_ message: OSLogMessage) { log(level: .fault, message) }
}
