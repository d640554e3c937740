import Foundation
import LocalAuthentication
import Security
import SecurityTesting
import Testing

extension Table {
    /// When fingers count, for items and for unlocking the device (7.1, 8.3). Each row has a device.
    static let lockouts = Table { table in
        table.addLockouts()
        table.addUnlocks()
    }

    private mutating func addLockouts() {
        let fiveMisses: @Sendable (Scene) -> Void = { s in
            let context = s.context()
            s.evaluate(
                .deviceOwnerAuthenticationWithBiometrics, in: context, .threeMisses, gives: .authenticationFailed)
            s.evaluate(
                .deviceOwnerAuthenticationWithBiometrics, in: context,
                Answers("two more misses", .mismatch, .mismatch), gives: .biometryLockout)
        }
        let lockouts: [(String, @Sendable (Scene) throws -> Void)] = [
            ("five misses", { fiveMisses($0) }),
            (
                "a restart",
                {
                    try $0.device.reboot()
                    try $0.device.unlock("1234")
                    try $0.device.lock()
                    try $0.device.reboot()
                }
            ),
            ("a remote lock", { try $0.device.lockRemotely() }),
        ]
        for (name, lockOut) in lockouts {
            row("7.3, 8.3", "\(name): no finger counts until the passcode was given", only: .generic) { s in
                try Owner.finger.moveIn(s.device)
                try s.addGuarded(.biometryAny, "dku", as: "any")
                try s.addGuarded(.userPresence, "dku", as: "presence")
                try lockOut(s)
                s.read(of: "any", gives: errSecAuthFailed)
                s.canEvaluate(.deviceOwnerAuthenticationWithBiometrics, gives: .biometryLockout)
                s.canEvaluate(.deviceOwnerAuthentication)
                s.read(.passcode, of: "presence")
                s.read(.match, of: "any")
                s.canEvaluate(.deviceOwnerAuthenticationWithBiometrics)
            }
            row("7.3", "\(name): unlocking the device with the passcode lets fingers in again", only: .generic) { s in
                try Owner.finger.moveIn(s.device)
                try s.addGuarded(.biometryAny, "dku")
                try lockOut(s)
                s.read(gives: errSecAuthFailed)
                try s.device.lock()
                try s.device.unlock("1234")
                s.read(.match)
            }
            row("7.1", "\(name): no finger unlocks the device", only: .generic) { s in
                try Owner.finger.moveIn(s.device)
                try s.addGuarded(.biometryAny, "aku")
                try lockOut(s)
                try s.device.lock()
                s.expect((try? s.device.unlock(with: .rightIndex)) == nil, "refused")
                s.read(gives: errSecInteractionNotAllowed)
                try s.device.unlock("1234")
                s.read(.match)
            }
        }
        row("8.3", "a match forgives the misses before it", only: .generic) { s in
            try Owner.finger.moveIn(s.device)
            try s.addGuarded(.biometryAny)
            for _ in 0..<4 {
                s.read(Answers("two misses, then a finger", .mismatch, .mismatch, .match(.rightIndex)))
            }
        }
        row("8.3", "the misses of several calls count together", only: .generic) { s in
            try Owner.finger.moveIn(s.device)
            try s.addGuarded(.biometryAny)
            s.read(.threeMisses, gives: errSecAuthFailed)
            s.read(Answers("two more", .mismatch, .mismatch), gives: errSecAuthFailed)
            s.read(gives: errSecAuthFailed)
        }
        row("8.3", "touches that cannot be read do not count as misses", only: .generic) { s in
            try Owner.finger.moveIn(s.device)
            try s.addGuarded(.biometryAny)
            s.read(
                Answers(
                    "six unclear touches, then a finger", .unclear, .unclear, .unclear, .unclear, .unclear, .unclear,
                    .match(.rightIndex)))
        }
        row("7.3", "twenty rounds are the end of a call", only: .generic) { s in
            try Owner.finger.moveIn(s.device)
            try s.addGuarded(.biometryAny)
            s.device.script(Array(repeating: .unclear, count: 30))
            s.find([kSecAttrAccount: "guarded", kSecReturnData: true], gives: errSecAuthFailed)
            s.expect(s.device.unusedAnswers.count == 10, "twenty were asked for")
            s.device.forgetScript()
        }
    }

    private mutating func addUnlocks() {
        row("7.1", "a finger unlocks the device for items of every class") { s in
            try Owner.finger.moveIn(s.device)
            for name in ["ak", "aku", "ck", "cku", "akpu"] {
                s.add([kSecAttrAccount: name, kSecAttrAccessible: name, kSecValueData: Data("d".utf8)])
            }
            try s.device.lock()
            s.read(of: "aku", gives: errSecInteractionNotAllowed)
            try s.device.unlock(with: .rightIndex)
            for name in ["ak", "aku", "ck", "cku", "akpu"] { s.read(of: name) }
        }
        row("7.1", "another finger does not", only: .generic) { s in
            try Owner.finger.moveIn(s.device)
            s.add([kSecAttrAccount: "ak", kSecAttrAccessible: "ak", kSecValueData: Data("d".utf8)])
            try s.device.lock()
            s.expect((try? s.device.unlock(with: .leftThumb)) == nil, "refused")
            s.read(of: "ak", gives: errSecInteractionNotAllowed)
            try s.device.unlock(with: .rightIndex)
            s.read(of: "ak")
        }
        row("7.1", "after a restart a finger unlocks nothing before the passcode did", only: .generic) { s in
            try Owner.finger.moveIn(s.device)
            s.add([kSecAttrAccount: "cku", kSecAttrAccessible: "cku", kSecValueData: Data("d".utf8)])
            try s.device.reboot()
            s.expect((try? s.device.unlock(with: .rightIndex)) == nil, "refused")
            s.read(of: "cku", gives: errSecInteractionNotAllowed)
            try s.device.unlock("1234")
            s.read(of: "cku")
            try s.device.lock()
            try s.device.unlock(with: .rightIndex)
        }
        row("7.3", "an unlock by finger counts within the reuse window, and not without one", only: .generic) { s in
            try Owner.finger.moveIn(s.device)
            try s.addGuarded(.biometryAny)
            try s.device.lock()
            try s.device.unlock(with: .rightIndex)
            s.read(in: s.context { $0.touchIDAuthenticationAllowableReuseDuration = 10 })
            s.read(.match, in: s.context())
        }
        row("7.3", "an unlock by passcode counts for nothing within the reuse window", only: .generic) { s in
            try Owner.finger.moveIn(s.device)
            try s.addGuarded(.biometryAny)
            try s.device.lock()
            try s.device.unlock("1234")
            s.read(.match, in: s.context { $0.touchIDAuthenticationAllowableReuseDuration = 10 })
        }
    }

    /// Rows that need a clock that can be moved: on embedded devices only.
    static let timeouts = Table { table in
        table.row("8.3", "48 hours without an unlock ask for the passcode", only: .generic) { s in
            try Owner.finger.moveIn(s.device)
            try s.addGuarded(.biometryAny, "dku")
            try s.device.lock()
            try s.device.advance(by: .seconds(47 * 3600))
            try s.device.unlock(with: .rightIndex)
            try s.device.lock()
            try s.device.advance(by: .seconds(48 * 3600 + 1))
            s.expect((try? s.device.unlock(with: .rightIndex)) == nil, "refused")
            s.read(gives: errSecAuthFailed)
            try s.device.unlock("1234")
            s.read(.match)
        }
        table.row("8.3", "156 hours without the passcode and 4 without a finger ask for it", only: .generic) { s in
            try Owner.finger.moveIn(s.device)
            try s.addGuarded(.biometryAny, "dku")
            for _ in 0..<5 {
                try s.device.lock()
                try s.device.advance(by: .seconds(30 * 3600))
                try s.device.unlock(with: .rightIndex)
            }
            // 150 hours. A finger every three hours keeps it open.
            for _ in 0..<4 {
                try s.device.lock()
                try s.device.advance(by: .seconds(3 * 3600))
                try s.device.unlock(with: .rightIndex)
            }
            s.read(.match)
            try s.device.lock()
            try s.device.advance(by: .seconds(4 * 3600 + 1))
            s.read(gives: errSecAuthFailed)
            try s.device.unlock("1234")
            s.read(.match)
        }
        for (seconds, counts) in [(9.0, true), (11.0, false)] {
            table.row(
                "7.3", "an unlock by finger \(seconds) s ago \(counts ? "counts" : "is too old") for 10 s of reuse",
                only: .generic
            ) { s in
                try Owner.finger.moveIn(s.device)
                try s.addGuarded(.biometryAny)
                try s.device.lock()
                try s.device.unlock(with: .rightIndex)
                try s.device.advance(by: .seconds(seconds))
                let context = s.context { $0.touchIDAuthenticationAllowableReuseDuration = 10 }
                s.read(counts ? .nobodyAsked : .match, in: context)
            }
        }
        for (seconds, counts) in [(299.0, true), (301.0, false)] {
            table.row("7.3", "no reuse lasts longer than 300 s (\(seconds) s)", only: .generic) { s in
                try Owner.finger.moveIn(s.device)
                try s.addGuarded(.biometryAny)
                try s.device.lock()
                try s.device.unlock(with: .rightIndex)
                try s.device.advance(by: .seconds(seconds))
                let context = s.context { $0.touchIDAuthenticationAllowableReuseDuration = 3600 }
                s.read(counts ? .nobodyAsked : .match, in: context)
            }
        }
        table.row("7.3", "evidence lasts as long as its context", only: .generic) { s in
            try Owner.finger.moveIn(s.device)
            try s.addGuarded(.userPresence)
            let context = s.context()
            s.evaluate(.deviceOwnerAuthentication, in: context, .match)
            try s.device.advance(by: .seconds(3600))
            s.read(in: context)
        }
    }
}
