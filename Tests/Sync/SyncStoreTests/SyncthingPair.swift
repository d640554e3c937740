import Foundation
import LatchkeyTestSupport

/// Two instances of Syncthing on this machine, each with a folder that it keeps like the other's.
final class SyncthingPair {
    static let isInstalled = FileManager.default.isExecutableFile(atPath: "/usr/bin/syncthing")

    private struct Instance {
        let folder: String
        let home: String
        let identifier: String
        let port: UInt16
    }

    private let directory: TemporaryDirectory
    private let instances: [Instance]
    private var processes: [Process] = []

    init() throws {
        directory = try TemporaryDirectory()
        instances = try ["a", "b"].map { [directory] name in
            let (folder, home) = (directory.path(name), directory.path(name + "-home"))
            // Syncthing refuses folders without this mark.
            try FileManager.default.createDirectory(
                atPath: folder + "/.stfolder", withIntermediateDirectories: true)
            try directory.file(name + "/.stignore", Array("/latchkey-sync/*/tmp\n".utf8))
            _ = try Self.run(["generate", "--home", home, "--no-default-folder", "--skip-port-probing"])
            let identifier = try Self.run(["--home", home, "--device-id"]).trimmingCharacters(in: .newlines)
            return Instance(folder: folder, home: home, identifier: identifier, port: try Self.freePort())
        }
        for instance in instances {
            let text = configuration(of: instance)
            try Data(text.utf8).write(to: URL(fileURLWithPath: instance.home + "/config.xml"))
        }
    }

    deinit { stop() }

    var folders: [String] { instances.map(\.folder) }

    func start() throws {
        for instance in instances {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/syncthing")
            process.arguments = ["serve", "--home", instance.home, "--no-browser", "--no-restart", "--no-upgrade"]
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            processes.append(process)
        }
    }

    func stop() {
        for process in processes { process.terminate() }
        for process in processes { process.waitUntilExit() }
        processes = []
    }

    private static func run(_ arguments: [String]) throws -> String {
        let outcome = try Program.run(["/usr/bin/syncthing"] + arguments)
        guard outcome.status == 0 else { throw CocoaError(.executableLoad) }
        return String(decoding: outcome.output, as: UTF8.self)
    }

    private static func freePort() throws -> UInt16 {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(number) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let outcome = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(number, address, length) == 0 && getsockname(number, address, &length) == 0
            }
        }
        guard outcome else { throw POSIXError(.EADDRINUSE) }
        return UInt16(bigEndian: address.sin_port)
    }

    private func configuration(of own: Instance) -> String {
        let devices = instances.map { instance in
            """
            <device id="\(instance.identifier)"><address>tcp://127.0.0.1:\(instance.port)</address></device>
            """
        }
        let members = instances.map { "<device id=\"\($0.identifier)\"/>" }
        return """
            <configuration version="36">
            <folder id="latchkey" path="\(own.folder)" type="sendreceive" rescanIntervalS="1"
                fsWatcherEnabled="false">\(members.joined())<maxConflicts>-1</maxConflicts></folder>
            \(devices.joined())
            <gui enabled="false"/>
            <options><listenAddress>tcp://127.0.0.1:\(own.port)</listenAddress>
            <globalAnnounceEnabled>false</globalAnnounceEnabled><localAnnounceEnabled>false</localAnnounceEnabled>
            <relaysEnabled>false</relaysEnabled><natEnabled>false</natEnabled>
            <crashReportingEnabled>false</crashReportingEnabled><urAccepted>-1</urAccepted>
            <reconnectionIntervalS>1</reconnectionIntervalS></options>
            </configuration>
            """
    }
}
