import LatchkeyCryptoSuite
import LatchkeyKeybag
import LatchkeySecretMemory
import Testing

@Suite struct PasscodeStrengthTests {
    private static let table: [(passcode: String, strength: PasscodeStrength)] = [
        ("0", .tenThousand), ("1234", .tenThousand), ("12345", .million), ("123456", .million), ("1234567", .more),
        ("ab", .tenThousand), ("abc", .million), ("abcd", .million), ("abcde", .more), ("a1", .tenThousand),
        ("aB", .tenThousand), ("aB3", .million), ("aB3!", .more), ("пароль", .more), ("", .tenThousand),
        ("٣٣٣٣", .tenThousand), ("१२३४५६", .million), ("3٣3٣", .tenThousand), ("🔑", .tenThousand), ("🔑🔑", .tenThousand),
        ("👨‍👩‍👧‍👦", .tenThousand), ("👋🏽", .tenThousand), ("e\u{301}e\u{301}", .tenThousand), ("пар", .million),
    ]

    @Test("a passcode's strength is the step of how many there are of its form", arguments: table)
    func steps(_ passcode: String, _ strength: PasscodeStrength) {
        #expect(PasscodeStrength(of: SecretBox(copying: Array(passcode.utf8))) == strength)
    }

    @Test("the length of a form is in characters, of which digits of every script are digits")
    func characters() {
        let forms = ["٣٣٣٣", "🔑", "👨‍👩‍👧‍👦", "naïve"].map { PasscodeForm(of: SecretBox(copying: Array($0.utf8))) }
        #expect(forms.map(\.characterCount) == [4, 1, 1, 5])
        #expect(forms.map(\.isDigits) == [true, false, false, false])
        #expect(PasscodeForm(of: SecretBox(copying: [0xFF, 0x31])).characterCount == 2)
    }

    @Test("the number of passcodes of a form counts its length and its kinds of characters")
    func count() {
        let form = PasscodeForm(of: SecretBox(copying: Array("1234".utf8)))
        #expect(form.isDigits && form.characterCount == 4)
        #expect(abs(form.log10Count - 4) < 1e-9)
        let mixed = PasscodeForm(of: SecretBox(copying: Array("a1".utf8)))
        #expect(!mixed.isDigits)
        #expect(abs(mixed.log10Count - 3.1126) < 1e-3)
    }

    @Test("a keybag remembers the step and the cost, passes them on, and forgets them with the passcode")
    func remembered() throws {
        let entropy = SystemEntropy()
        let hardware = HardwareKey(uid: SecretBox(copying: [UInt8](repeating: 1, count: 32)))
        let fresh = SystemKeybag.fresh(
            on: hardware, settings: DeviceSettings(lockAfterSeconds: 600), entropy: entropy)
        let (keybag, keys) = try fresh.rewrapped(
            try fresh.openWithoutPasscode(), passcode: SecretBox(copying: Array("123456".utf8)), log2Cost: 1,
            tryMicroseconds: 83_000, entropy: entropy)
        let read = SystemKeybag(try Keybag(parsing: keybag.keybag.bytes), hardwareKey: hardware)
        #expect(read.passcodeParameters?.strength == .million)
        #expect(read.passcodeParameters?.tryMicroseconds == 83_000)
        #expect(read.settings.lockAfterSeconds == 600)
        #expect(read.with(DeviceSettings()).passcodeParameters?.strength == .million)
        #expect(read.with(DeviceSettings()).settings.lockAfterSeconds == nil)
        let (without, _) = try read.rewrapped(keys, passcode: nil, log2Cost: 1, entropy: entropy)
        #expect(without.passcodeParameters == nil)
    }
}
