import LatchkeyAccessControl
import LatchkeyCommandLineTool
import LatchkeyEnclaveContract
import Testing

@Suite("Fingers in words")
struct FingerWordsTests {
    @Test(
        "each step of an enrolment is a line, its end is not",
        arguments: [
            (.stage(done: 0, total: 5), "Touch the reader: 1 of 5"),
            (.stage(done: 4, total: 5), "Touch the reader: 5 of 5"),
            (.stage(done: 5, total: 5), "Touch the reader: 5 of 5"),
            (.stage(done: 2, total: 0), "Touch the reader: touch 3"),
            (.completed, nil), (.duplicate, nil), (.ended, nil), (.failed(.busy), nil),
        ] as [(EnrolmentEvent, String?)])
    func progress(_ event: EnrolmentEvent, _ line: String?) {
        #expect(FingerWords.progress(event) == line)
    }

    @Test("every obstacle and every rule of the device has a sentence", arguments: SensorObstacle.allCases)
    func obstacles(_ obstacle: SensorObstacle) {
        #expect(FingerWords.text(obstacle).hasSuffix("."))
        let failure = FingerWords.failure(.failed(obstacle))
        #expect(failure.status == .enrolmentFailed)
        #expect(failure.why == FingerWords.text(obstacle))
    }

    @Test("no reader, no fprintd and a reader that is claimed are told apart wherever no finger counts")
    func absences() {
        let obstacles: [SensorObstacle] = [.none, .noService, .busy]
        let reasons = obstacles.map { obstacle in
            let status = BiometryStatus(
                survey: SensorSurvey(name: "", obstacle: obstacle), obstacle: .biometryNotAvailable, enrolmentSet: nil,
                missesLeft: 5)
            let failure = FingerWords.failure(.biometryNotAvailable, reader: obstacle)
            #expect(FingerWords.state(status).contains(FingerWords.text(obstacle)))
            #expect(failure.why == FingerWords.text(obstacle))
            return failure.why
        }
        #expect(Set(reasons).count == 3)
        #expect(!FingerWords.text(.none as SensorObstacle).contains("fprintd"))
        #expect(FingerWords.text(SensorObstacle.noService).contains("fprintd"))
    }

    @Test("every rule that ends a wait for a finger has a sentence", arguments: VerdictRule.allCases)
    func rules(_ rule: VerdictRule) {
        #expect(FingerWords.text(rule).hasSuffix("."))
        #expect(FingerWords.failure(rule).status == .biometryUnavailable)
    }

    @Test("the summary says reader, count and whether a finger counts")
    func summary() {
        let survey = SensorSurvey(name: "Reader\u{1B}[2J", fingers: [.leftThumb, .rightIndex], digest: [1])
        var status = BiometryStatus(survey: survey, obstacle: nil, enrolmentSet: nil, missesLeft: 2)
        #expect(
            FingerWords.summary(status)
                == "Reader\\u{1b}[2J, 2 fingers enrolled; a finger counts; the passcode comes first after 2 more misses"
        )
        status.obstacle = .biometryLockedOut
        #expect(FingerWords.summary(status).contains("passcode has to be given first"))
        status.survey = .noSensor
        #expect(FingerWords.summary(status) == FingerWords.text(SensorObstacle.none))
    }
}
