import Testing

@testable import LatchkeyCommandLineTool

@Suite("The program files of running daemons")
struct RunningProgramTests {
    private static let second: Int64 = 1_000_000_000

    @Test(
        "a file that was made after the process was is another one",
        arguments: [
            (100 * second, 100 * second, RunningProgram.present("/p")), (90 * second, 100 * second, .present("/p")),
            (101 * second, 100 * second, .present("/p")), (110 * second, 100 * second, .replaced("/p")),
            (0, 100 * second, .unknown),
        ])
    func replaced(_ born: Int64, _ started: Int64, _ expected: RunningProgram) {
        #expect(RunningProgram("/p", born: born, started: started) == expected)
        #expect(RunningProgram("/p", born: born, started: nil) == .unknown)
    }

    @Test("one that was removed or replaced is missing, with the command that starts the current one")
    func steps() {
        for (program, state) in [
            (RunningProgram.present("/p"), InstallationStep.State.ok), (.removed("/p"), .missing),
            (.replaced("/p"), .missing),
        ] {
            let steps = ProcessSteps.program("daemon", program, "restart it")
            #expect(steps.map(\.state) == [state])
            #expect(steps.map(\.mend) == [state == .ok ? nil : "restart it"])
            #expect(steps[0].found.contains("/p"))
        }
        #expect(ProcessSteps.program("daemon", .unknown, "restart it").isEmpty)
    }
}
