import Foundation
import Glibc

/// A way into a namespace: who connects to its address is connected from inside of the namespace.
final class NetworkDoor: @unchecked Sendable {
    // Sendable because the process does not change after the start.
    /// Standard input is the socket that listens, from outside of the namespace. A side that ends ends the other one.
    private static let script = """
        import asyncio, socket, sys
        async def copy(source, sink):
            try:
                while part := await source.read(65536):
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
            await asyncio.gather(copy(reader, inner[1]), copy(inner[0], writer))
        async def main():
            server = await asyncio.start_server(carry, sock=socket.socket(fileno=0))
            await server.serve_forever()
        asyncio.run(main())
        """

    let url: String
    private let process = Process()

    init(into space: NetworkSpace, host: String, port: UInt16) throws {
        let listener = try LoopbackListener()
        url = listener.url
        let command = space.command + ["/usr/bin/python3", "-c", Self.script, host, String(port)]
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.standardInput = FileHandle(fileDescriptor: dup(listener.descriptor), closeOnDealloc: true)
        (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        try process.run()
    }

    deinit {
        // A thread of the tests may have passed on that it blocks all others.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
