import Foundation

/// Programs in C of `Benchmarks/c-programs`, compiled with Security as `make security` made it.
enum CPrograms {
    static let installation = ".build/programs/latchkey-c"

    /// Compiles the program that finds items.
    static func client(in directory: String) throws -> String {
        try compile("client.c", to: directory + "/c-client", "$(pkg-config --cflags --libs security)")
    }

    /// Compiles the program that starts CoreFoundation and needs nothing else.
    static func foundation(in directory: String) throws -> String {
        try compile(
            "foundation.c", to: directory + "/c-foundation",
            """
            $(pkg-config --cflags security) -L"$(pkg-config --variable=swift security)/linux" \
            -Wl,-rpath,"$(pkg-config --variable=swift security)/linux" -lFoundation -ldispatch -lBlocksRuntime
            """)
    }

    private static func compile(_ source: String, to program: String, _ flags: String) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = [
            "-c", "exec clang -O2 -o \"$0\" \"$1\" \(flags)", program, "Benchmarks/c-programs/\(source)",
        ]
        let own = ["PKG_CONFIG_PATH": installation + "/lib/pkgconfig"]
        process.environment = ProcessInfo.processInfo.environment.merging(own) { $1 }
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure("\(source) was not compiled; see above")
        }
        return program
    }
}
