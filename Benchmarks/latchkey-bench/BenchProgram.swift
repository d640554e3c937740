import Foundation

/// Measures what a person waits for, as ratios against limits measured in the same run.
///
/// Called with a role as first argument it is one of the processes being measured, else it runs the rows named.
@main
enum BenchProgram {
    static func main() {
        var arguments = CommandLine.arguments.dropFirst()
        do {
            switch arguments.first {
            case "client"?: try Client().serve()
            case "crypto"?: CryptoClient().serve()
            case "backup"?: try BackupClient(arguments.dropFirst().first ?? "/dev/shm/latchkey-bench-backup").serve()
            case "folder"?: FolderClient().serve()
            case "passthrough"?: try PassthroughServer.run(Array(arguments.dropFirst()))
            case "echo"?: try EchoServer.run(Array(arguments.dropFirst()))
            case "sqlite"?: try BareSQLite.serve(Array(arguments.dropFirst()))
            case "items"?: try BareItemTable.serve(Array(arguments.dropFirst()))
            default:
                let options = try Options(parsing: &arguments)
                guard !options.listsPrograms else {
                    let programs = Set(try Row.named(options.rows).flatMap(\.programs))
                    return print(programs.map(\.rawValue).sorted().joined(separator: "\n"))
                }
                if !(try Session(options).run()) { exit(1) }
            }
        } catch {
            FileHandle.standardError.write(Data("latchkey-bench: \(error)\n".utf8))
            exit(1)
        }
    }
}
