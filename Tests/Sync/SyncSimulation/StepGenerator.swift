import LatchkeySyncCore

/// The steps of a simulation, drawn from a seed.
struct StepGenerator {
    /// From this seed on, runs have few names, many deletions and joins, and clocks far apart.
    static let firstDenseSeed: UInt64 = 10_000_001

    /// From this seed on, every run has engines that are off or busy. Below, two of five.
    static let firstOrderSeed: UInt64 = 50_000_001

    var numbers: SeededNumbers
    private let isDense: Bool
    private let isAboutOrder: Bool
    private let second: UInt64 = 1_000_000

    init(seed: UInt64) {
        numbers = SeededNumbers(seed: seed)
        isDense = seed >= Self.firstDenseSeed && seed < Self.firstOrderSeed
        isAboutOrder = seed >= Self.firstOrderSeed || [2, 3].contains(seed % 5) && !isDense
    }

    mutating func steps() -> [SimulationStep] {
        if isAboutOrder {
            var order = OrderSteps(numbers: numbers)
            return order.steps { numbers in
                self.numbers = numbers
                defer { numbers = self.numbers }
                return SimulationStep(after: wait(), action())
            }
        }
        let count = 12 + numbers.below(36)
        return (0..<count).map { _ in SimulationStep(after: wait(), action()) }
    }

    private mutating func wait() -> UInt64 {
        switch numbers.below(100) {
        case 0..<55: numbers.below(20 * second)
        case 55..<80: numbers.below(600 * second)
        case 80..<97: numbers.below(20 * 3_600 * second)
        case 97..<99: numbers.below(3 * 86_400 * second)
        default: numbers.below(20 * 86_400 * second)
        }
    }

    private mutating func device() -> Int { numbers.below(60) }
    private mutating func name() -> Int { numbers.below(isDense ? 2 : 5) }
    private mutating func content() -> Int { numbers.below(1_000) }

    private mutating func action() -> SimulationStep.Action {
        isDense && numbers.chance(45) ? denseAction() : ordinaryAction()
    }

    private mutating func ordinaryAction() -> SimulationStep.Action {
        switch numbers.below(100) {
        case 0..<30:
            .write(device: device(), name: name(), zone: numbers.chance(40) ? .a : .c, content: content())
        case 30..<43: .delete(device: device(), name: name(), tombstone: !numbers.chance(8))
        case 43..<46: .rename(device: device(), from: name(), to: name(), content: content())
        case 46..<54:
            .lock(device: device(), [.locked, .unlocked, .unlocked, .beforeFirstUnlock, .noPasscode][numbers.below(5)])
        case 54..<60: .crash(device: device(), afterEffects: numbers.below(12), restarts: numbers.chance(80))
        case 60..<66: .online(device: device(), numbers.chance(50))
        case 66..<68: .divide(groups: 2)
        case 68..<70: .heal
        case 70..<74: .network(network())
        case 74..<77: .join(author: device(), names: numbers.below(32))
        case 77..<80: .remove(author: device(), victim: device())
        case 80..<81: .newEpoch(device: device())
        case 81..<82: .mark
        case 82..<83: .rollBack(onlyDevice: numbers.chance(50) ? device() : nil)
        case 83..<85: .lose(percent: [10, 50, 100][numbers.below(3)], heads: numbers.chance(50))
        case 85..<86: .withhold(author: device(), reader: device())
        case 86..<87: .backUp(device: device())
        case 87..<88: .restore(device: device(), asTwin: numbers.chance(50))
        case 88..<91: .moveClock(device: device(), seconds: Int64(numbers.below(631_152_000)) - 315_576_000)
        case 91..<93: .restoreConflict(device: device())
        case 93..<95: .refuse(device: device(), after: numbers.below(6))
        default: .hint(device: device())
        }
    }

    private mutating func denseAction() -> SimulationStep.Action {
        switch numbers.below(100) {
        case 0..<25: .write(device: device(), name: name(), zone: .c, content: content())
        case 25..<55: .delete(device: device(), name: name(), tombstone: true)
        case 55..<67: .join(author: device(), names: numbers.below(4))
        case 67..<74: .remove(author: device(), victim: device())
        case 74..<84: .moveClock(device: device(), seconds: Int64(numbers.below(631_152_000)) - 315_576_000)
        case 84..<92: .online(device: device(), numbers.chance(60))
        case 92..<94: .divide(groups: 2)
        case 94..<96: .leave(device: device())
        case 96..<97: .exhaust(device: device())
        default: .withhold(author: device(), reader: device())
        }
    }

    private mutating func network() -> SimulationStep.Network {
        switch numbers.below(4) {
        case 0: .good
        case 1: .init(late: 60, duplicated: 10)
        case 2: .init(late: 30, veryLate: 30, lost: 10, hintsLost: 60)
        default: .init(late: 20, veryLate: 5, lost: 30, duplicated: 30, hintsLost: 90)
        }
    }
}
