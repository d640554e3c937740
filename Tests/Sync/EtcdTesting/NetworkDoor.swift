import Foundation
import Glibc
import LatchkeyTestSupport

/// A way to a server, for instance into a namespace: who connects to its address is connected from the other side of the door.
package final class NetworkDoor: @unchecked Sendable {
    // Sendable because the process does not change after the start.
    /// Standard input is the socket that listens. A side that ends ends the other one. The third argument seeds the disturbance, which SIGUSR1
    /// begins and SIGUSR2 ends: then each part is late, some by as much as a packet that is sent again, and connections are lost, each with a line.
    private static let script = """
        import asyncio, random, signal, socket, sys
        chance = random.Random(int(sys.argv[3]))
        disturbed = False
        def disturb(yes):
            global disturbed
            disturbed = yes
        async def copy(source, sink, sides):
            try:
                while part := await source.read(65536):
                    if disturbed:
                        await asyncio.sleep(chance.uniform(0.2, 1.5) if chance.random() < 0.03 else chance.uniform(0, 0.1))
                    if disturbed and chance.random() < 0.04:
                        print("lost", flush=True)
                        for side in sides:
                            side.transport.abort()
                        return
                    sink.write(part)
                    await sink.drain()
            except OSError:
                pass
            sink.close()
        async def carry(reader, writer):
            try:
                inner = await asyncio.open_connection(sys.argv[1], int(sys.argv[2]))
            except OSError:
                writer.close()
                return
            sides = [writer, inner[1]]
            await asyncio.gather(copy(reader, inner[1], sides), copy(inner[0], writer, sides))
        async def main():
            loop = asyncio.get_running_loop()
            # The thread that started this may block them.
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGUSR1, signal.SIGUSR2])
            loop.add_signal_handler(signal.SIGUSR1, disturb, True)
            loop.add_signal_handler(signal.SIGUSR2, disturb, False)
            server = await asyncio.start_server(carry, sock=socket.socket(fileno=0))
            print("ready", flush=True)
            await server.serve_forever()
        asyncio.run(main())
        """

    package let url: String
    private let directory: TemporaryDirectory
    private let process = Process()

    /// A door to a server of this machine.
    package convenience init(to server: EtcdServer, seed: UInt64) throws {
        try self.init([], host: server.host, port: EtcdServer.clientPort, seed: seed)
        eventually { self.lines.contains("ready") }
    }

    convenience init(into space: NetworkSpace, host: String, port: UInt16) throws {
        try self.init(space.command, host: host, port: port, seed: 0)
    }

    /// - Parameter command: a command in front of the program that enters another network.
    private init(_ command: [String], host: String, port: UInt16, seed: UInt64) throws {
        let listener = try LoopbackListener()
        url = listener.url
        directory = try TemporaryDirectory()
        let command = command + ["/usr/bin/python3", "-c", Self.script, host, String(port), String(seed)]
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.standardInput = FileHandle(fileDescriptor: dup(listener.descriptor), closeOnDealloc: true)
        process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: directory.file("lines", [])))
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    deinit {
        // A thread of the tests may have passed on that it blocks all others.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    private var lines: [Substring] {
        let bytes = FileManager.default.contents(atPath: directory.path("lines")) ?? Data()
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }

    /// The number of connections that a disturbance has ended.
    package var lostConnections: Int { lines.count { $0 == "lost" } }

    /// Makes the network slow and unreliable, or sound again.
    package func disturb(_ disturbs: Bool) {
        kill(process.processIdentifier, disturbs ? SIGUSR1 : SIGUSR2)
    }
}
