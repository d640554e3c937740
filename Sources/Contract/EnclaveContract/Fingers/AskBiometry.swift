package import LatchkeyAccessControl

/// A request for the state of sensor, fingers and misses.
package struct AskBiometry: BareQuestion {
    package static let numbers = [MessageNumber.fingerQuestion(1)]
    package static let traits: QuestionTraits = [.repeatable, .changesKeys]

    package init() {}

    package func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> BiometryStatus {
        try enclave.answer(self)
    }
}

/// The state of biometry on the device.
package struct BiometryStatus: Sendable, Hashable {
    package var survey: SensorSurvey
    /// The reason why fingers are not accepted now; nil if they are.
    package var obstacle: VerdictRule?
    /// Nil if nothing is enrolled.
    package var enrolmentSet: EnrolmentSet?
    /// The number of misses until the passcode is required.
    package var missesLeft: Int

    package init(survey: SensorSurvey, obstacle: VerdictRule?, enrolmentSet: EnrolmentSet?, missesLeft: Int) {
        self.survey = survey
        self.obstacle = obstacle
        self.enrolmentSet = enrolmentSet
        self.missesLeft = missesLeft
    }
}

extension BiometryStatus: EnclaveAnswer {
    private static let number = MessageNumber.fingerAnswer(1)
    fileprivate static let digestByteCount = 64

    package var number: MessageNumber { Self.number }

    package func write(to writer: inout MessageWriter) {
        writer.text(survey.name)
        writer.optional(survey.obstacle) { $0.byte($1.rawValue) }
        writer.count(survey.fingers.count)
        for finger in survey.fingers { writer.finger(finger) }
        writer.bytes(Array(survey.digest.prefix(Self.digestByteCount)))
        writer.flag(survey.seesTemplates)
        writer.optionalRule(obstacle)
        writer.optional(enrolmentSet) { $0.bytes($1.bytes) }
        writer.byte(UInt8(clamping: missesLeft))
    }

    package init?(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        guard number == Self.number else { return nil }
        survey = try SensorSurvey(from: &reader)
        obstacle = try reader.optionalRule()
        enrolmentSet = try reader.optional("enrolment set") { reader throws(EnclaveMessageFailure) in
            try reader.enrolmentSet()
        }
        missesLeft = Int(try reader.byte())
    }
}

extension SensorSurvey {
    fileprivate init(from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        let name = try reader.text("sensor")
        let obstacle = try reader.optional("obstacle") { reader throws(EnclaveMessageFailure) in
            try reader.obstacle()
        }
        let count = try reader.count("fingers", limit: MessageNames.fingers.count)
        var fingers: [Finger] = []
        for _ in 0..<count { fingers.append(try reader.finger()) }
        self.init(
            name: name, obstacle: obstacle, fingers: fingers,
            digest: try reader.bytes("digest", limit: BiometryStatus.digestByteCount),
            seesTemplates: try reader.flag("sees templates"))
    }
}

extension MessageReader {
    fileprivate mutating func enrolmentSet() throws(EnclaveMessageFailure) -> EnrolmentSet {
        let bytes = try bytes("enrolment set", limit: EnrolmentSet.byteCount)
        guard let set = EnrolmentSet(bytes) else {
            throw .badValue(field: "enrolment set", found: UInt64(bytes.count))
        }
        return set
    }
}
