import LatchkeyKeybag
import LatchkeySecretMemory
import Testing

@Suite struct PasscodeTests {
    @Test(
        "the kind of a passcode decides its keyboard",
        arguments: [
            ("0000", PasscodeKind.fourDigits), ("1234", .fourDigits), ("123456", .sixDigits), ("1", .digits),
            ("12345", .digits), ("1234567", .digits), ("12a4", .alphanumeric), ("abcd", .alphanumeric),
            ("１２３４", .alphanumeric), ("12 4", .alphanumeric), ("-123", .alphanumeric), ("🐎", .alphanumeric),
        ])
    func kind(_ text: String, _ kind: PasscodeKind) {
        #expect(PasscodeKind(of: SecretBox(text)) == kind)
    }

    @Test(
        "a passcode has 1 to 1024 bytes",
        arguments: [
            (0, PasscodeRule.Verdict.empty), (1, .accepted), (1024, .accepted), (1025, .tooLong(found: 1025)),
        ])
    func rule(count: Int, verdict: PasscodeRule.Verdict) {
        #expect(PasscodeRule.verdict(on: SecretBox(String(repeating: "x", count: count))) == verdict)
    }

    @Test(
        "the delay after the n-th failure is that of the table",
        arguments: [
            (0, 0.0), (1, 0), (2, 0), (3, 0), (4, 0), (5, 60), (6, 300), (7, 900), (8, 900), (9, 3600),
        ])
    func delay(failures: Int, seconds: Double) {
        #expect(AttemptDelay.seconds(afterFailures: failures) == seconds)
    }

    @Test("after ten failures there is no next try", arguments: [10, 11, 255])
    func noDelay(failures: Int) {
        #expect(AttemptDelay.seconds(afterFailures: failures) == nil)
    }

    static let allowedClasses: [(LockState, Set<KeyClass>)] = [
        (LockState.noPasscode, Set(KeyClass.allCases).subtracting([.whenPasscodeSetThisDeviceOnly])),
        (.beforeFirstUnlock, [.fileNone, .always, .alwaysThisDeviceOnly]),
        (.unlocked, Set(KeyClass.allCases)),
        (
            .locked,
            [
                .fileNone, .always, .alwaysThisDeviceOnly, .fileUntilFirstUserAuthentication, .afterFirstUnlock,
                .afterFirstUnlockThisDeviceOnly,
            ]
        ),
    ]

    @Test("the lock states allow exactly these classes", arguments: allowedClasses)
    func allowed(_ state: LockState, _ classes: Set<KeyClass>) {
        #expect(Set(KeyClass.allCases.filter { state.allows($0) }) == classes)
    }
}
