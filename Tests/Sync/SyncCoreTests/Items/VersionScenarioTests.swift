import LatchkeySyncSimulation
import Testing

/// Random runs hardly find these.
@Suite struct VersionScenarioTests {
    @Test("the moment of the call decides: it ends well with the rules", arguments: VersionScenario.all)
    func with(_ scenario: VersionScenario) {
        let failure = scenario.run()
        #expect(failure == nil, "\(scenario.story)")
    }

    @Test("the moment of the call decides: it ends badly without one of them", arguments: VersionScenario.all)
    func without(_ scenario: VersionScenario) {
        for rule in scenario.rules {
            let failure = scenario.run(without: rule)
            #expect(failure != nil, "\(scenario.story), without \(rule)")
        }
    }
}

extension VersionScenario: CustomTestStringConvertible {
    package var testDescription: String { name }
}
