import Foundation

/// Kills backups and restores at points that are chosen by a seed, or at all points, and looks at what is left.
@main
enum BackupCheckProgram {
    private static let usage = """
        usage: backup-check backups SEED KILLS     killed at random, one after the other into one folder
               backup-check readers SEED KILLS     the same beside readers, and after readers kept one from its place
               backup-check restores SEED KILLS    killed at random, until one ends
               backup-check items SEED KILLS       restores of items, killed at random, until one ends
               backup-check sweep SEED [EVERY]     killed before each call that changes a file, or each third and so on
               backup-check faults SEED EVERY      from each such call on, or each third and so on, all fail

        """

    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let numbers = arguments.dropFirst().compactMap { UInt64($0) }
        do {
            if arguments.first == "run", arguments.count == 6, let run = KilledRun(rawValue: arguments[1]) {
                return try run.perform(device: arguments[2], home: arguments[3], at: numbers[0], Int32(numbers[1]))
            }
            switch (arguments.first, numbers.count) {
            case ("backups", 2):
                for isEncrypted in [true, false] {
                    var backups = try KilledBackups(seed: numbers[0], isEncrypted: isEncrypted)
                    try backups.run(Int(numbers[1]) / 2)
                    print("\(backups.kills) backups killed, \(backups.committed) of them or of those that ended count")
                }
            case ("readers", 2):
                for start in KilledBackups.Start.allCases {
                    var backups = try KilledBackups(seed: numbers[0], isEncrypted: start == .besideReader)
                    try backups.run(start, Int(numbers[1]) / 2)
                    print("\(backups.kills) backups killed \(start), \(backups.committed) of the runs count")
                }
            case ("restores", 2):
                var restores = try KilledRestores(seed: numbers[0])
                try restores.run(Int(numbers[1]), seed: numbers[0])
                print("\(restores.kills) restores killed")
            case ("items", 2):
                var restores = try KilledItemRestores()
                try restores.run(Int(numbers[1]), seed: numbers[0])
                print("\(restores.kills) restores of items killed")
            case ("faults", 2):
                var backups = try KilledBackups(seed: numbers[0], isEncrypted: true)
                for error in [EIO, ENOSPC] { try backups.sweep(failingWith: error, every: Int(max(1, numbers[1]))) }
                print("\(backups.kills) backups failed")
            case ("sweep", 1), ("sweep", 2):
                let distance = Int(max(1, numbers.dropFirst().first ?? 1))
                var backups = try KilledBackups(seed: numbers[0], isEncrypted: true)
                try backups.sweep(every: distance)
                for start in KilledBackups.Start.allCases {
                    var beside = try KilledBackups(seed: numbers[0], isEncrypted: true)
                    try beside.sweep(start, every: distance)
                    print("\(beside.kills) backups killed \(start)")
                }
                var restores = try KilledRestores(seed: numbers[0])
                try restores.sweep(every: distance)
                print("\(backups.kills) backups and \(restores.kills) restores killed")
            default:
                try FileHandle.standardError.write(contentsOf: Data(usage.utf8))
                exit(2)
            }
        } catch {
            print("backup-check \(arguments.joined(separator: " ")): \(error)")
            exit(1)
        }
    }
}
