import CLatchkeyBenchPeers

/// A server of FUSE in C that passes every request to the directory below.
enum PassthroughServer {
    /// Serves until the folder is unmounted.
    static func run(_ arguments: [String]) throws {
        guard arguments.count == 2 else { throw Failure("passthrough needs a directory and a folder") }
        guard lkb_passthrough_run(arguments[0], arguments[1]) == 0 else {
            throw Failure("\(arguments[1]) was not served; the line above says why")
        }
    }
}
