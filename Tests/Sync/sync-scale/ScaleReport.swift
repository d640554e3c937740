import Foundation
import LatchkeySyncCore
import LatchkeySyncSimulation

/// The phases of a run: filling, use, and rest.
final class ScaleReport {
    private let circle: ScaleRun
    private let items: Int
    private let days: UInt64

    init(_ run: ScaleRun, items: Int, days: UInt64) {
        circle = run
        self.items = items
        self.days = days
    }

    func run() {
        let start = Date()
        let count = circle.devices.count
        circle.fill(items: items)
        say("\(count) devices, \(items) items, \(days) days, \(circle.model.changesPerDay) changes per device and day")
        show("filling: the first device has all items, \(count - 1) join", total, per: nil)
        let joined = circle.devices.count { $0.replica.state.hasJoined }
        say("  joined \(joined), stored \(megabytes(circle.store.byteCount)), computed in \(seconds(since: start))")

        let begin = circle.time
        let before = total
        let (handled, changes) = (circle.handled, circle.changes)
        circle.store.forgetGreatest()
        let useStart = Date()
        for day in 0..<days { pass(day, since: begin) }
        let used = total.minus(before)
        show("use, per device and day (\(circle.changes - changes) changes)", used, per: Double(count) * Double(days))
        let cost = Date().timeIntervalSince(useStart) / Double(max(circle.handled - handled, 1))
        say(
            "  stored \(megabytes(circle.store.byteCount)), at most \(megabytes(circle.store.greatestByteCount)); "
                + "\(circle.handled - handled) events of \(Int(cost * 1e6)) µs; \(megabytes(residentByteCount)) of memory"
        )
        rest()
    }

    private func pass(_ day: UInt64, since begin: UInt64) {
        let model = circle.model
        guard day == model.awayFrom + model.awayDays else { return circle.passDay(day, since: begin) }
        // The device that was away comes back with the day.
        let device = circle.devices[UsageModel.awayDevice]
        let (before, rows, transactions) = (device.count, device.rowsWritten, device.transactions)
        device.isOnline = true
        circle.deliver(.locked(.unlocked), to: device)
        circle.deliver(.hint, to: device)
        circle.deliver(.time, to: device)
        let back = circle.time
        let limit = back + 5 * UsageModel.minute
        while !device.replica.isAtRest, circle.time < limit { circle.pass(until: circle.time + circle.model.storeTime) }
        let count = device.count.minus(before)
        show("catching up after \(model.awayDays) days away", count, per: nil)
        say(
            "  \(device.rowsWritten - rows) rows in \(device.transactions - transactions) transactions, "
                + "\(Double(circle.time - back) / 1e6) s at \(Double(model.storeTime) / 1e3) ms for an operation")
        circle.passDay(day, since: begin)
    }

    /// Lets two days pass with all devices unlocked and online, and without a change.
    private func rest() {
        for device in circle.devices {
            device.isOnline = true
            circle.deliver(.locked(.unlocked), to: device)
            circle.deliver(.hint, to: device)
            circle.deliver(.time, to: device)
        }
        circle.pass(until: circle.time + UsageModel.day + UsageModel.hour)
        let before = total
        circle.pass(until: circle.time + 2 * UsageModel.day)
        show("at rest, per device and day", total.minus(before), per: 2 * Double(circle.devices.count))
        let digests = Set(circle.devices.map { $0.replica.state.head?.body.digest })
        let alarms = circle.devices.reduce(0) { $0 + $1.alarms.count }
        let live = circle.devices[0].replica.state.items.count
        let snapshot = circle.devices.compactMap { $0.replica.state.snapshot?.byteCount }
        say(
            "  \(digests.count) digest of \(live) items, \(alarms) alarms, stored \(megabytes(circle.store.byteCount)), "
                + "\(snapshot.count) snapshots, \(circle.devices.reduce(0) { $0 + $1.keptVersions }) versions kept")
        if digests.count != 1 || digests.contains(nil) || alarms > 0 { exit(1) }
    }

    private var total: StoreCount {
        circle.devices.reduce(into: StoreCount()) { sum, device in
            for (name, value) in device.count.operations {
                sum.operations[name, default: (0, 0)].count += value.count
                sum.operations[name, default: (0, 0)].bytes += value.bytes
            }
        }
    }

    // MARK: Text

    private func show(_ title: String, _ count: StoreCount, per divisor: Double?) {
        say(title)
        for (name, value) in count.operations.sorted(by: { $0.key < $1.key }) where value.count > 0 {
            line(name, value.count, value.bytes, divisor)
        }
        line("all", count.count, count.bytes, divisor)
    }

    private func line(_ name: String, _ count: UInt64, _ bytes: UInt64, _ divisor: Double?) {
        let operations =
            divisor.map { String(format: "%.1f", Double(count) / $0) } ?? "\(count)"
        let moved = megabytes(Double(bytes) / (divisor ?? 1))
        say("  \(name.padding(toLength: 22, withPad: " ", startingAt: 0))\(operations) operations, \(moved)")
    }

    private func megabytes(_ count: some BinaryInteger) -> String { megabytes(Double(count)) }
    private func megabytes(_ count: Double) -> String { String(format: "%.2f MB", count / 1e6) }
    private func seconds(since start: Date) -> String { String(format: "%.1f s", Date().timeIntervalSince(start)) }

    private var residentByteCount: Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * 4096
    }

    private func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}
