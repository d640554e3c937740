import Foundation
import LatchkeyDevice

/// `latchkey` as it is installed, against what people type today. Each of the stores holds a hundred passwords.
enum ToolRows {
    private static let count = 100
    private static let runs = 40
    private static let password = "correct horse battery"

    /// `secret-tool` of Debian 12 has no such option, and ends with its usage and 2, which takes no longer.
    static func start(_ session: Session) throws -> Finding {
        try pairs(
            session, "tool-start", ours: ([installed, "--version"], [:]), theirs: (["secret-tool", "--version"], [:]),
            against: "secret-tool --version", demand: .atMost(1.5), theirStatus: 2)
    }

    static func findAgainstSecretTool(_ session: Session) throws -> Finding {
        try withSecretService(session) { device, service in
            try pairs(
                session, "tool-find-secret-tool", ours: (find(on: device), [:]),
                theirs: (["secret-tool", "lookup", "service", "service-7", "account", "anna"], service.environment),
                against: "secret-tool lookup, gnome-keyring with \(count) items", demand: .atMost(0.8),
                prints: password)
        }
    }

    static func addAgainstSecretTool(_ session: Session) throws -> Finding {
        try withSecretService(session) { device, service in
            let mark = ProgramRuns.numberMark
            return try pairs(
                session, "tool-add-secret-tool", ours: (add(mark, to: device), [:]),
                theirs: (store(mark), service.environment),
                against: "secret-tool store, gnome-keyring with \(count) items and more", demand: .atMost(0.8))
        }
    }

    static func findAgainstPass(_ session: Session) throws -> Finding {
        try withDevice(session) { device in
            let store = try PasswordStore(in: session.scratch)
            defer { store.stop() }
            for number in 0..<count {
                try Programs.run(
                    ["pass", "insert", "--multiline", "service-\(number)"], input: try passwordFile(session),
                    environment: store.environment)
            }
            return try pairs(
                session, "tool-find-pass", ours: (find(on: device), [:]),
                theirs: (["pass", "show", "service-7"], store.environment),
                against: "pass show, its agent warm", demand: .atMost(0.5), prints: password)
        }
    }

    // MARK: The two programs

    private typealias Call = (words: [String], environment: [String: String])

    /// Milliseconds of a run of each. Both start on the processor of the clients.
    private static func pairs(
        _ session: Session, _ name: String, ours: Call, theirs: Call, against: String, demand: Finding.Demand,
        theirStatus: Int = 0, prints expected: String? = nil
    ) throws -> Finding {
        let input = try passwordFile(session)
        func worker(_ call: Call) throws -> Worker {
            if let expected {
                let text = try Programs.run(call.words, environment: call.environment)
                guard text.trimmingCharacters(in: .newlines) == expected else {
                    throw Failure("\(call.words[0]) printed something else than the password")
                }
            }
            return try Worker(
                role: ["client"], processor: session.options.pinning.clients, environment: call.environment)
        }
        let (our, their) = (try worker(ours), try worker(theirs))
        defer {
            our.stop()
            their.stop()
        }
        func milliseconds(_ worker: Worker, _ call: Call, _ status: Int) throws -> Double {
            let words = ([input, try Programs.path(of: call.words[0])] + call.words.dropFirst()).map(Worker.word)
            return try worker.seconds("run \(runs) \(status) " + words.joined(separator: " ")) / Double(runs) * 1000
        }
        let pairs = try session.pairs(
            value: { try milliseconds(our, ours, 0) }, limit: { try milliseconds(their, theirs, theirStatus) })
        return Finding(name: name, pairs: pairs, unit: "ms", against: against, demand: demand)
    }

    private static var installed: String { FileManager.default.currentDirectoryPath + "/.build/programs/latchkey" }

    private static func find(on device: RunningDevice) -> [String] {
        [
            installed, "find-generic-password", "-s", "service-7", "-a", "anna", "-w", "--device",
            device.directory.path,
        ]
    }

    private static func add(_ number: String, to device: RunningDevice) -> [String] {
        [
            installed, "add-generic-password", "-s", "service", "-a", number, "-w", "--device", device.directory.path,
        ]
    }

    private static func store(_ number: String) -> [String] {
        ["secret-tool", "store", "--label=bench", "service", "service", "account", number]
    }

    // MARK: The two stores

    /// A device whose passwords the tool has added.
    private static func withDevice<R>(_ session: Session, _ body: (RunningDevice) throws -> R) throws -> R {
        try session.withDevice(try session.population.deviceToGrow(from: 1)) { device in
            for number in 0..<count {
                try Programs.run(
                    [
                        installed, "add-generic-password", "-s", "service-\(number)", "-a", "anna", "-w", "--device",
                        device.directory.path,
                    ], input: try passwordFile(session))
            }
            return try body(device)
        }
    }

    private static func withSecretService<R>(
        _ session: Session, _ body: (RunningDevice, SecretService) throws -> R
    ) throws -> R {
        try withDevice(session) { device in
            let service = try SecretService(in: session.scratch, processor: session.options.pinning.servers)
            defer { service.stop() }
            for number in 0..<count {
                try Programs.run(
                    ["secret-tool", "store", "--label=bench", "service", "service-\(number)", "account", "anna"],
                    input: try passwordFile(session), environment: service.environment)
            }
            return try body(device, service)
        }
    }

    private static func passwordFile(_ session: Session) throws -> String {
        let path = session.scratch + "/tool-password"
        try Data(password.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }
}
