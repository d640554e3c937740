/// One row of the table: a rule of Linux about files, as tmpfs keeps it.
package struct FileSystemRule: Sendable {
    package let name: String
    let body: @Sendable (RuleStage) throws -> Void

    init(_ name: String, _ body: @escaping @Sendable (RuleStage) throws -> Void) {
        self.name = name
        self.body = body
    }
}

/// A fresh directory for one rule, and the program that stands for another process.
package struct RuleStage: Sendable {
    package let files: TestDirectory
    /// The path of `file-system-check`.
    package let otherProcess: String
}

/// A difference between what a file system did and what the rule says.
package struct RuleMismatch: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// A refusal that the rule allows: the file system does not have this, and says it in the agreed way.
struct AllowedRefusal: Error {
    let reason: String
}

/// A rule that this process cannot try.
struct UntriedRule: Error {
    let reason: String
}

/// Expects a condition.
func expect(_ condition: Bool, _ message: @autoclosure () -> String) throws(RuleMismatch) {
    if !condition { throw RuleMismatch(message()) }
}

/// Expects a value.
func equal<Value: Equatable>(_ found: Value, _ wanted: Value, _ subject: String) throws(RuleMismatch) {
    if found != wanted { throw RuleMismatch("\(subject): expected \(wanted), found \(found)") }
}

/// Expects bytes; tells the first that differs.
func equal(bytes found: [UInt8], _ wanted: [UInt8], _ subject: String) throws(RuleMismatch) {
    guard found != wanted else { return }
    guard found.count == wanted.count else {
        throw RuleMismatch("\(subject): expected \(wanted.count) bytes, found \(found.count)")
    }
    let index = zip(found, wanted).enumerated().first { $1.0 != $1.1 }?.offset ?? 0
    throw RuleMismatch("\(subject): byte \(index) is \(found[index]), expected \(wanted[index])")
}

/// Expects that a call fails with one of the numbers.
func refused(_ numbers: Int32..., body: () throws -> Void) throws {
    let wanted = numbers.map(ErrorName.of).joined(separator: " or ")
    do {
        try body()
    } catch let failure as CallFailure {
        guard !numbers.contains(failure.number) else { return }
        throw RuleMismatch("\(failure), expected \(wanted)")
    }
    throw RuleMismatch("succeeded, expected \(wanted)")
}

/// Lets a file system refuse a call that it need not have. The rule ends there.
func orRefused<Value>(_ numbers: Int32..., body: () throws -> Value) throws -> Value {
    do {
        return try body()
    } catch let failure as CallFailure where numbers.contains(failure.number) {
        throw AllowedRefusal(reason: "\(failure)")
    }
}

/// Ends the rule unless the tests run as root.
func needRoot() throws(UntriedRule) {
    if !TestDirectory.isRoot { throw UntriedRule(reason: "needs root, to be two users") }
}

/// Bytes that differ from one another, from each seed and at each offset.
func pattern(_ count: Int, seed: Int = 1) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: ($0 &* 31 &+ seed &* 97) ^ ($0 >> 8) ^ ($0 >> 16)) }
}
