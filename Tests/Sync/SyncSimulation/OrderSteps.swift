import LatchkeySyncCore

/// Steps in which the engines of some devices are off or busy while programs write, and then hear of it.
struct OrderSteps {
    var numbers: SeededNumbers
    private var deviceCount: Int
    private let nameCount: Int
    private let zoneARatio: Int
    private let restores: Bool
    private static let second: UInt64 = 1_000_000

    init(numbers: SeededNumbers) {
        var numbers = numbers
        deviceCount = 2 + numbers.below(3)
        nameCount = [1, 1, 2, 3][numbers.below(4)]
        zoneARatio = [0, 50, 100][numbers.below(3)]
        restores = numbers.chance(35)
        self.numbers = numbers
    }

    /// - Parameter other: draws a step with any fault.
    mutating func steps(_ other: (inout SeededNumbers) -> SimulationStep) -> [SimulationStep] {
        var steps: [SimulationStep] = []
        let hasFaults = numbers.chance(50)
        for _ in 0..<1 + numbers.below(4) {
            if numbers.chance(70) { steps += [write(), exchange()] }
            let off = (0..<deviceCount).filter { _ in numbers.chance(55) }
            for device in off { steps.append(step(.engine(device: device, numbers.chance(70) ? .off : .busy))) }
            if numbers.chance(30) { steps.append(step(.moveClock(device: device(), seconds: clockError()))) }
            if restores, numbers.chance(60) { steps.append(step(.backUpItems(device: device()))) }
            for _ in 0..<1 + numbers.below(5) {
                steps.append(call())
                if numbers.chance(25) { steps.append(exchange()) }
                if hasFaults, numbers.chance(25) { steps.append(other(&numbers)) }
            }
            for device in off where numbers.chance(85) {
                let lock = [SyncLockState.unlocked, .unlocked, .locked, .beforeFirstUnlock][numbers.below(4)]
                steps.append(step(.engine(device: device, .running, lock: lock)))
            }
            for _ in 0..<numbers.below(6) { steps.append(detail()) }
        }
        return steps
    }

    private mutating func device() -> Int { numbers.below(deviceCount) }
    private mutating func name() -> Int { numbers.below(nameCount) }
    private mutating func clockError() -> Int64 { Int64(numbers.below(631_152_000)) - 315_576_000 }
    private mutating func zone() -> ZoneClass { numbers.chance(zoneARatio) ? .a : .c }
    private mutating func isNamed() -> Bool { numbers.chance(75) }

    private mutating func step(_ action: SimulationStep.Action) -> SimulationStep {
        SimulationStep(after: numbers.below(3 * Self.second), action)
    }

    /// Time enough for several rounds of reading.
    private mutating func exchange() -> SimulationStep {
        SimulationStep(after: (20 + numbers.below(100)) * Self.second, .hint(device: device()))
    }

    private mutating func write() -> SimulationStep {
        step(
            .write(device: device(), name: name(), zone: zone(), content: numbers.below(1_000), isNamed: isNamed()))
    }

    private mutating func call() -> SimulationStep {
        switch numbers.below(100) {
        case 0..<45: write()
        case 45..<72: step(.delete(device: device(), name: name(), tombstone: !numbers.chance(3)))
        case 72..<84:
            step(
                .rename(
                    device: device(), from: name(), to: numbers.below(3), content: numbers.below(1_000),
                    isNamed: isNamed()))
        case 84..<90 where restores:
            step(.restoreItems(device: device(), from: device(), replacing: numbers.chance(50)))
        case 90..<93: step(.allowGroup(device: device(), name: name(), content: numbers.below(1_000)))
        case 93..<94:
            step(.writeBeforeVersion(device: device(), name: name(), isNamed: isNamed()))
        case 94..<96:
            step(.writeBeforeApplying(device: device(), name: name(), content: numbers.below(1_000)))
        case 96..<98: step(.nameAgain(device: device()))
        default: write()
        }
    }

    private mutating func detail() -> SimulationStep {
        switch numbers.below(100) {
        case 0..<40: exchange()
        case 40..<60: step(.lock(device: device(), [.locked, .unlocked, .unlocked][numbers.below(3)]))
        case 60..<70: step(.crash(device: device(), afterEffects: numbers.below(12), restarts: numbers.chance(80)))
        case 70..<80: write()
        case 80..<86: step(.delete(device: device(), name: name(), tombstone: true))
        case 86..<89: step(.join(author: device(), names: numbers.below(8)))
        case 89..<91: step(.remove(author: device(), victim: device()))
        case 91..<92: step(.exhaust(device: device()))
        default: step(.hint(device: device()))
        }
    }
}
