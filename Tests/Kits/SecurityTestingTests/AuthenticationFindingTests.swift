import Dispatch
import Foundation
import LocalAuthentication
import Security
import SecurityTesting
import Testing

@Suite("The findings about people who are asked")
struct AuthenticationFindingTests {
    private static func device(_ backend: VirtualDevice.Backend = .embedded) throws -> VirtualDevice {
        let device = try VirtualDevice(backend: backend)
        try device.setPasscode("1234")
        try device.enroll(.rightIndex)
        return device
    }

    /// Adds a token without conditions, or with.
    private static func add(
        _ account: String = "token", _ flags: SecAccessControlCreateFlags = [],
        _ protection: CFString = kSecAttrAccessibleWhenUnlockedThisDeviceOnly, in context: LAContext = LAContext()
    ) {
        let item: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrAccount: account, kSecValueData: Data("t".utf8),
            kSecAttrAccessControl: SecAccessControlCreateWithFlags(nil, protection, flags, nil) as Any,
            kSecUseAuthenticationContext: context,
        ]
        #expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
    }

    @discardableResult
    private static func read(
        _ account: String = "token", _ extra: [CFString: Any] = [:], reason: String = "", gives wanted: OSStatus = 0
    ) -> Int {
        let context = LAContext()
        context.localizedReason = reason
        let query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrAccount: account, kSecReturnData: true,
            kSecUseAuthenticationContext: context,
        ]
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query.merging(extra) { $1 } as CFDictionary, &result)
        #expect(status == wanted)
        return #line - 2
    }

    /// Evaluates with one finger.
    private static func evaluate(
        _ device: VirtualDevice, _ context: LAContext = LAContext(),
        _ policy: LAPolicy = .deviceOwnerAuthenticationWithBiometrics, _ answer: ScriptedAnswer = .match(.rightIndex)
    ) async {
        device.script(answer)
        _ = try? await context.evaluatePolicy(policy, localizedReason: "open the app")
    }

    // MARK: The bypass

    @Test("flag an evaluation whose Boolean guards a secret", arguments: VirtualDevice.Backend.allCases)
    func bypass(_ backend: VirtualDevice.Backend) async throws {
        let device = try Self.device(backend)
        var line = 0
        await device.run {
            Self.add()
            await Self.evaluate(device)
            line = Self.read()
        }
        #expect(device.findings.map(\.kind) == [.evaluationGuardsSecret])
        #expect(device.findings.first?.call == .copyMatching)
        #expect(device.findings.first?.callSite?.line == line)
        #expect(device.findings.first?.advice.contains("kSecUseAuthenticationContext") ?? false)
        device.close()
    }

    @Test("flag it for the owner's passcode too, and for any query that returns data")
    func otherBypasses() async throws {
        for extra in [
            [:], [kSecReturnAttributes: true], [kSecMatchLimit: kSecMatchLimitAll],
            [kSecReturnPersistentRef: true, kSecMatchLimit: 5],
        ] as [[CFString: Any]] {
            let device = try Self.device()
            await device.run {
                Self.add()
                await Self.evaluate(device, LAContext(), .deviceOwnerAuthentication)
                Self.read("token", extra)
            }
            #expect(device.findings.map(\.kind) == [.evaluationGuardsSecret])
        }
    }

    @Test("flag it once for an evaluation")
    func bypassOnce() async throws {
        let device = try Self.device()
        await device.run {
            Self.add("token")
            Self.add("other")
            await Self.evaluate(device)
            Self.read("token")
            Self.read("other")
            Self.read("token")
        }
        #expect(device.findings.map(\.kind) == [.evaluationGuardsSecret])
    }

    @Test("do not flag secrets that have conditions of their own", arguments: [true, false])
    func guardedItem(usesContext: Bool) async throws {
        let device = try Self.device()
        await device.run {
            Self.add("token", .biometryCurrentSet)
            Self.add("free")
            let context = LAContext()
            await Self.evaluate(device, context)
            if usesContext {
                Self.read("token", [kSecUseAuthenticationContext: context])
            } else {
                device.script(.match(.rightIndex))
                Self.read(reason: "open")
            }
            Self.read("free")
        }
        #expect(device.findings.isEmpty)
        #expect(device.unusedAnswers.isEmpty)
    }

    @Test("do not flag secrets that the app reads without an evaluation as well")
    func freelyRead() async throws {
        let device = try Self.device()
        await device.run {
            Self.add()
            Self.read()
            await Self.evaluate(device)
            Self.read()
        }
        #expect(device.findings.isEmpty)
    }

    @Test("do not flag reads without data, reads of other apps, or failed evaluations")
    func noBypass() async throws {
        let device = try Self.device()
        await device.run {
            Self.add()
            await Self.evaluate(device, LAContext(), .deviceOwnerAuthenticationWithBiometrics, .cancel)
            Self.read("token", [kSecReturnData: false, kSecReturnAttributes: true])
            Self.read()
        }
        let other = device.install("com.example.other")
        await device.run { await Self.evaluate(device) }
        other.run {
            Self.add()
            Self.read()
        }
        #expect(device.findings.isEmpty)
    }

    @Test("do not flag application passwords as unguarded")
    func passwordItem() async throws {
        let device = try Self.device()
        await device.run {
            let context = LAContext()
            context.setCredential(Data("pw".utf8), type: .applicationPassword)
            Self.add("token", .applicationPassword, in: context)
            await Self.evaluate(device, context)
            Self.read("token", [kSecUseAuthenticationContext: context])
        }
        #expect(device.findings.isEmpty)
    }

    // MARK: The others

    @Test(
        "flag biometryAny for items of high value",
        arguments: [
            (SecAccessControlCreateFlags.biometryAny.rawValue, "akpu", true),
            (SecAccessControlCreateFlags([.and, .biometryAny, .devicePasscode]).rawValue, "akpu", true),
            (SecAccessControlCreateFlags([.or, .biometryAny, .companion]).rawValue, "akpu", true),
            (SecAccessControlCreateFlags([.biometryAny, .applicationPassword]).rawValue, "aku", true),
            (SecAccessControlCreateFlags.biometryAny.rawValue, "aku", false),
            (SecAccessControlCreateFlags.biometryCurrentSet.rawValue, "akpu", false),
            (SecAccessControlCreateFlags.userPresence.rawValue, "akpu", false),
            (SecAccessControlCreateFlags([.or, .biometryAny, .devicePasscode]).rawValue, "akpu", false),
        ])
    func anyBiometry(flags: SecAccessControlCreateFlags.RawValue, protection: String, isFlagged: Bool) throws {
        let device = try Self.device()
        device.run {
            let context = LAContext()
            context.setCredential(Data("pw".utf8), type: .applicationPassword)
            Self.add("token", SecAccessControlCreateFlags(rawValue: flags), protection as CFString, in: context)
        }
        #expect(device.findings.map(\.kind) == (isFlagged ? [.anyBiometry] : []))
        #expect(device.findings.allSatisfy { $0.call == .add && $0.advice.contains("biometryCurrentSet") })
    }

    @Test("flag biometryAny in updates")
    func anyBiometryInUpdates() throws {
        let device = try Self.device()
        device.run {
            Self.add()
            let control = SecAccessControlCreateWithFlags(
                nil, kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, .biometryAny, nil)
            #expect(
                SecItemUpdate(
                    [kSecClass: kSecClassGenericPassword] as NSDictionary,
                    [kSecAttrAccessControl: control as Any] as NSDictionary) == errSecSuccess)
        }
        #expect(device.findings.map(\.kind) == [.anyBiometry])
        #expect(device.findings.first?.call == .update)
    }

    @Test("flag questions without a reason", arguments: VirtualDevice.Backend.allCases)
    func missingReason(_ backend: VirtualDevice.Backend) throws {
        let device = try Self.device(backend)
        var line = 0
        device.run {
            Self.add("token", .userPresence)
            device.script(.match(.rightIndex), .cancel, .fallback, .passcode("1234"))
            line = Self.read(reason: "")
            Self.read(reason: "  ", gives: errSecUserCanceled)
            Self.read(reason: "show the token")
        }
        #expect(device.findings.map(\.kind) == [.noReason, .noReason])
        #expect(device.findings.map(\.call) == [.copyMatching, .copyMatching])
        #expect(device.findings.first?.callSite?.line == line)
        device.close()
    }

    @Test("do not flag a missing reason where no prompt was shown, or an operation prompt says it")
    func reasons() async throws {
        let device = try Self.device()
        await device.run {
            Self.add("token", .userPresence)
            let context = LAContext()
            await Self.evaluate(device, context)
            Self.read("token", [kSecUseAuthenticationContext: context])
            Self.read("token", [kSecUseAuthenticationUI: DeprecatedConstants.useAuthenticationUIFail], gives: -25308)
            device.script(.match(.rightIndex))
            Self.read("token", ["u_OpPrompt" as CFString: "show the token"])
        }
        #expect(device.findings.isEmpty)
    }

    @Test("flag a reuse window at its maximum", arguments: [(0.0, 0), (10, 0), (299, 0), (300, 1), (9999, 1)])
    func reuse(seconds: Double, count: Int) async throws {
        let device = try Self.device()
        await device.run {
            let context = LAContext()
            context.touchIDAuthenticationAllowableReuseDuration = seconds
            await Self.evaluate(device, context)
        }
        #expect(device.findings.map(\.kind) == Array(repeating: .longestReuse, count: count))
        #expect(device.findings.allSatisfy { $0.call == .evaluatePolicy })
    }

    @Test("flag it in reads too")
    func reuseInReads() throws {
        let device = try Self.device()
        device.run {
            Self.add("token", .userPresence)
            let context = LAContext()
            context.localizedReason = "show the token"
            context.touchIDAuthenticationAllowableReuseDuration = LATouchIDAuthenticationMaximumAllowableReuseDuration
            device.script(.match(.rightIndex))
            Self.read("token", [kSecUseAuthenticationContext: context])
        }
        #expect(device.findings.map(\.kind) == [.longestReuse])
    }
}
