import Foundation
import LatchkeySyncCore

/// Runs a circle of many devices through weeks of ordinary use in virtual time, and prints what it stores and moves.
@main
enum ScaleProgram {
    private static let usage = "usage: sync-scale DEVICES ITEMS DAYS [CHANGES-PER-DEVICE-AND-DAY]\n"

    static func main() {
        let numbers = CommandLine.arguments.dropFirst().map { Int($0) ?? 0 }
        guard (3...4).contains(numbers.count), numbers.allSatisfy({ $0 > 0 }), (2...64).contains(numbers[0]) else {
            FileHandle.standardError.write(Data(usage.utf8))
            exit(64)
        }
        var model = UsageModel()
        if numbers.count == 4 { model.changesPerDay = numbers[3] }
        let report = ScaleReport(ScaleRun(model, devices: numbers[0]), items: numbers[1], days: UInt64(numbers[2]))
        report.run()
    }
}
