import Foundation

/// The options of the command line.
struct Options {
    var rows: [String] = []
    /// Prints the programs that the rows start instead of measuring.
    var listsPrograms = false
    /// Where throwaway devices are made; must be a real disk, or durability costs nothing.
    var scratch = FileManager.default.temporaryDirectory.path
    var jsonPath: String?
    var itemCount = 1_000_000
    var rounds = 7
    var pinning = Pinning.apart
    /// Runs only the subject of a row for so many seconds, so that a profiler can look at it.
    var profiledSeconds: Double?

    init(parsing arguments: inout ArraySlice<String>) throws {
        while let argument = arguments.popFirst() {
            switch argument {
            case "--programs": listsPrograms = true
            case "--scratch": scratch = try Self.value(argument, &arguments)
            case "--json": jsonPath = try Self.value(argument, &arguments)
            case "--items": itemCount = try Self.number(argument, &arguments)
            case "--rounds": rounds = try Self.number(argument, &arguments)
            case "--pinning":
                guard let known = Pinning(rawValue: try Self.value(argument, &arguments)) else {
                    throw Failure("--pinning takes \(Pinning.allCases.map(\.rawValue).joined(separator: ", "))")
                }
                pinning = known
            case "--profile": profiledSeconds = Double(try Self.number(argument, &arguments))
            case _ where argument.hasPrefix("-"): throw Failure("unknown option \(argument)")
            default: rows.append(argument)
            }
        }
        guard rounds > 0, itemCount > 100 else { throw Failure("--rounds needs 1 at least, --items more than 100") }
    }

    private static func value(_ option: String, _ arguments: inout ArraySlice<String>) throws -> String {
        guard let value = arguments.popFirst() else { throw Failure("\(option) needs a value") }
        return value
    }

    private static func number(_ option: String, _ arguments: inout ArraySlice<String>) throws -> Int {
        guard let number = Int(try value(option, &arguments)), number > 0 else {
            throw Failure("\(option) needs a whole number above 0")
        }
        return number
    }
}

/// On which processors clients and servers run. Subject and peer of a row are always pinned the same way.
enum Pinning: String, CaseIterable {
    /// Clients on one processor, servers on another: as on a machine that pins no process, without the noise.
    case apart
    /// Everything on one processor.
    case together
    /// Wherever the kernel likes.
    case none

    var clients: String? { self == .none ? nil : "0" }

    var servers: String? {
        switch self {
        case .none: nil
        case .together: "0"
        case .apart: ProcessInfo.processInfo.processorCount > 1 ? "1" : "0"
        }
    }
}
