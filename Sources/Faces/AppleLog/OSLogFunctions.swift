import Glibc

/// Writes a message with a format of C: `%@` for an object, `%{public}s` for a text of C, and so on. Texts and objects are
/// redacted unless the format says `public`.
///
/// Apple's takes `CVarArg`, to which objects conform there and not on Linux.
@_disfavoredOverload
public func os_log(
    _ message: StaticString, dso: UnsafeRawPointer? = #dsohandle, log: OSLog = .default,
    type: OSLogType = .default, _ args: Any...
) {
    let code = errno
    log.write(type) { LogFormat.text(message.description, args, errno: code) }
}

/// Writes a message with a format of C.
@_disfavoredOverload
public func os_log(
    _ type: OSLogType, dso: UnsafeRawPointer? = #dsohandle, log: OSLog = .default, _ message: StaticString,
    _ args: Any...
) {
    let code = errno
    log.write(type) { LogFormat.text(message.description, args, errno: code) }
}

/// Writes a message of type `default`.
public func os_log(_ message: OSLogMessage) {
    OSLog.default.write(.default) { message.text }
}

public func os_log(_ logLevel: OSLogType, log: OSLog = .default, _ message: OSLogMessage) {
    log.write(logLevel) { message.text }
}
