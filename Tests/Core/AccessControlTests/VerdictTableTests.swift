import LatchkeyAccessControl
import LatchkeyEncoding
import Testing

extension EnrolmentSet {
    static func test(_ byte: UInt8) -> EnrolmentSet {
        guard let set = EnrolmentSet([UInt8](repeating: byte, count: byteCount)) else {
            preconditionFailure("16 bytes are an enrolment set")
        }
        return set
    }
}

/// Every combination of flags, evidence, lock state and state of the sensor, against the oracle.
@Suite("Evaluating an access control")
struct VerdictTableTests {
    static let present = EnrolmentSet.test(1)
    static let former = EnrolmentSet.test(2)

    /// Every combination of flags that creation accepts.
    static let flagSets: [AccessControlFlags] = {
        let bits: [AccessControlFlags] = [
            .userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode, .companion, .or, .and,
            .privateKeyUsage, .applicationPassword,
        ]
        return (0..<1 << bits.count).compactMap { number in
            let flags = bits.indices.reduce(into: AccessControlFlags()) { flags, index in
                if number & 1 << index != 0 { flags.formUnion(bits[index]) }
            }
            return (try? AccessControl(protection: .whenUnlocked, flags: flags)) == nil ? nil : flags
        }
    }()

    static let evidence: [Evidence] = [nil, 5].flatMap { (passcode: Uptime?) in
        [nil, present, former].flatMap { (set: EnrolmentSet?) in
            [false, true].map { password in
                Evidence(
                    passcodeUptime: passcode, match: set.map { Evidence.Match(uptime: 3, enrolmentSet: $0) },
                    hasApplicationPassword: password)
            }
        }
    }

    static let biometry: [DeviceEnvironment.Biometry] = [
        .usable(present), .unusable(rule: .biometryLockedOut, present), .unusable(rule: .passcodeNotSet, present),
        .unusable(rule: .passcodeNotSet, nil), .unusable(rule: .biometryNotEnrolled, nil),
        .unusable(rule: .biometryNotAvailable, nil), .unusable(rule: .biometryNotAvailable, present),
        .unusable(rule: .biometryDisconnected, nil), .unusable(rule: .biometryNotPaired, nil),
    ]

    static let environment: [DeviceEnvironment] = DeviceEnvironment.ClassKey.allCases.flatMap { classKey in
        [false, true].flatMap { hasPasscode in
            biometry.map { DeviceEnvironment(classKey: classKey, hasPasscode: hasPasscode, biometry: $0) }
        }
    }

    @Test("creation accepts 148 combinations of flags") func combinations() {
        // 12 sets of biometry, passcode and companion with three connectors, and user presence alone; each with and
        // without the two marks.
        #expect(Self.flagSets.count == (12 * 3 + 1) * 4)
    }

    @Test("every verdict is the oracle's", arguments: flagSets)
    func table(flags: AccessControlFlags) throws {
        let made = try AccessControl(protection: .whenUnlocked, flags: flags)
        var controls: [(AccessControl, EnrolmentSet?)] = [(made, nil)]
        for set in [Self.present, Self.former] {
            let bound = try #require(made.bound(to: set))
            controls.append((bound, flags.contains(.biometryCurrentSet) ? set : nil))
        }
        var differences: [String] = []
        for (control, set) in controls {
            for operation in GuardedOperation.allCases where operation != .other {
                for environment in Self.environment {
                    for evidence in Self.evidence {
                        let row = VerdictOracle.Case(
                            flags: flags, boundSet: set, operation: operation, evidence: evidence,
                            environment: environment)
                        let found = control.verdict(
                            for: operation, evidence: evidence, environment: environment)
                        let expected = VerdictOracle.verdict(row)
                        if found != expected { differences.append("\(row): \(found), not \(expected)") }
                    }
                }
            }
        }
        #expect(differences.isEmpty, "\(differences.count), first: \(differences.first ?? "")")
    }

    @Test("bringing what a verdict needs comes to a grant within three steps", arguments: flagSets)
    func needsLeadSomewhere(flags: AccessControlFlags) throws {
        let control = try #require(try AccessControl(protection: .whenUnlocked, flags: flags).bound(to: Self.present))
        for environment in Self.environment where environment.classKey == .available {
            // The device's answers about the sensor agree with those about the passcode.
            guard environment.hasPasscode || environment.biometry != .usable(Self.present) else { continue }
            for start in Self.evidence {
                var evidence = start
                var verdict = control.verdict(for: .decrypt, evidence: evidence, environment: environment)
                for _ in 0..<3 {
                    guard case .needs(let kinds) = verdict else { break }
                    #expect(!kinds.isEmpty)
                    if kinds.contains(.applicationPassword) {
                        evidence.hasApplicationPassword = true
                    } else if kinds.contains(.match) {
                        evidence.match = Evidence.Match(uptime: 9, enrolmentSet: Self.present)
                    } else {
                        evidence.passcodeUptime = 9
                    }
                    verdict = control.verdict(for: .decrypt, evidence: evidence, environment: environment)
                }
                if case .needs = verdict { Issue.record("\(flags), \(environment), \(start): still \(verdict)") }
            }
        }
    }

    @Test("where the sensor's answer is said not to matter, it does not", arguments: flagSets)
    func dependence(flags: AccessControlFlags) throws {
        let control = try #require(try AccessControl(protection: .whenUnlocked, flags: flags).bound(to: Self.present))
        let constraint = control.constraint
        for evidence in Self.evidence where !constraint.dependsOnBiometry(with: evidence) {
            let verdicts = Self.environment.filter(\.hasPasscode).map { environment in
                constraint.verdict(evidence: evidence, environment: environment)
            }
            #expect(Set(verdicts.map { $0 == .granted }).count == 1)
            #expect(!verdicts.contains(.refused(.enrolmentChanged)))
        }
    }

    @Test(
        "policies ask for what they name",
        arguments: [
            (.biometry, .none, .needs(.match)), (.biometryOrCompanion, .none, .needs(.match)),
            (.deviceOwner, .none, .needs([.match, .passcode])),
            (.companion, .none, .refused(.companionNotAvailable)),
            (.wristDetection, .none, .refused(.companionNotAvailable)),
            (.biometry, Evidence(passcodeUptime: 1), .needs(.match)),
            (.deviceOwner, Evidence(passcodeUptime: 1), .granted),
            (.deviceOwner, Evidence(match: .init(uptime: 1, enrolmentSet: present)), .granted),
            (.biometry, Evidence(match: .init(uptime: 1, enrolmentSet: present)), .granted),
            (.biometry, Evidence(match: .init(uptime: 1, enrolmentSet: former)), .needs(.match)),
        ] as [(AuthenticationPolicy, Evidence, Verdict)])
    func policies(policy: AuthenticationPolicy, evidence: Evidence, verdict: Verdict) {
        let environment = DeviceEnvironment(hasPasscode: true, biometry: .usable(Self.present))
        #expect(policy.verdict(evidence: evidence, environment: environment) == verdict)
    }

    @Test("a policy that biometry cannot fulfil falls back or says why", arguments: biometry.dropFirst())
    func unusable(biometry: DeviceEnvironment.Biometry) throws {
        guard case .unusable(let rule, _) = biometry else { return }
        let environment = DeviceEnvironment(hasPasscode: true, biometry: biometry)
        #expect(
            AuthenticationPolicy.biometry.verdict(evidence: .none, environment: environment) == .refused(rule))
        #expect(
            AuthenticationPolicy.deviceOwner.verdict(evidence: .none, environment: environment)
                == .needs(.passcode))
        let without = DeviceEnvironment(hasPasscode: false, biometry: biometry)
        #expect(
            AuthenticationPolicy.deviceOwner.verdict(evidence: .none, environment: without)
                == .refused(.passcodeNotSet))
    }
}
