/// The arguments of a daemon: `--name VALUE` and `--name`, nothing else.
package struct ProgramOptions: Sendable {
    private var values: [String: String] = [:]
    private var flags: Set<String> = []

    /// The reason why this program does not accept its arguments.
    package struct Failure: Error, Sendable, CustomStringConvertible {
        package let description: String

        package init(description: String) {
            self.description = description
        }
    }

    package init(
        _ arguments: [String], values named: Set<String>, flags namedFlags: Set<String>
    ) throws(Failure) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if namedFlags.contains(argument) {
                flags.insert(argument)
            } else if named.contains(argument) {
                guard let value = rest.popFirst(), !value.isEmpty else {
                    throw Failure(description: "\(argument) needs a value")
                }
                guard values.updateValue(value, forKey: argument) == nil else {
                    throw Failure(description: "\(argument) is given twice")
                }
            } else {
                throw Failure(description: "unknown argument \(argument)")
            }
        }
    }

    package func value(_ name: String) -> String? { values[name] }

    package func required(_ name: String) throws(Failure) -> String {
        guard let value = values[name] else { throw Failure(description: "\(name) is missing") }
        return value
    }

    package func has(_ flag: String) -> Bool { flags.contains(flag) }

    /// The value as a user of this machine, by name or number; nil if the option is not given.
    package func user(_ name: String) throws(Failure) -> UInt32? {
        guard let text = values[name] else { return nil }
        guard let number = Account.userID(text) else {
            throw Failure(description: "\(name) names the user \(text), whom this machine does not know")
        }
        return number
    }

    /// The value as a group of this machine, by name or number; nil if the option is not given.
    package func group(_ name: String) throws(Failure) -> UInt32? {
        guard let text = values[name] else { return nil }
        guard let number = Account.groupID(text) else {
            throw Failure(
                description: "\(name) names the group \(text), which this machine does not have. Make it with: "
                    + "groupadd --system \(text)")
        }
        return number
    }

    /// The value as a number within `range`; nil if the option is not given.
    package func number(_ name: String, in range: ClosedRange<Int>) throws(Failure) -> Int? {
        guard let text = values[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw Failure(description: "\(name) needs a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
