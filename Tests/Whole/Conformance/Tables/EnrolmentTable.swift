import Foundation
import LocalAuthentication
import Security
import SecurityTesting
import Testing

extension Table {
    /// The effects of enrolling and removing fingers on items and contexts (8.3). Each row has a device.
    static let enrolments = Table { table in
        table.addChanges()
    }

    private static let changes: [(String, Bool, @Sendable (VirtualDevice) throws -> Void)] = [
        ("another finger is enrolled", true, { try $0.enroll(.leftIndex) }),
        (
            "another finger is enrolled and removed again", true,
            {
                try $0.enroll(.leftIndex)
                try $0.remove(finger: .leftIndex)
            }
        ),
        ("the finger is enrolled anew", true, { try $0.enroll(.rightIndex) }),
        (
            "the finger is removed and enrolled again", true,
            {
                try $0.remove(finger: .rightIndex)
                try $0.enroll(.rightIndex)
            }
        ),
        (
            "all fingers are removed, and it is enrolled again", true,
            {
                try $0.removeAllFingers()
                try $0.enroll(.rightIndex)
            }
        ),
        (
            "the device is locked and unlocked", false,
            {
                try $0.lock()
                try $0.unlock("1234")
            }
        ),
        (
            "the device is restarted", false,
            {
                try $0.reboot()
                try $0.unlock("1234")
            }
        ),
        (
            "the passcode is changed and changed back", false,
            {
                try $0.changePasscode(from: "1234", to: "other")
                try $0.changePasscode(from: "other", to: "1234")
            }
        ),
        (
            "the sensor was unplugged for a while", false,
            {
                $0.setSensor(.unplugged)
                $0.setSensor(.ready)
            }
        ),
    ]

    private mutating func addChanges() {
        for (name, changesSet, change) in Self.changes {
            row("7.3, 8.3", "biometryCurrentSet after \(name): \(changesSet ? "gone for good" : "as before")") { s in
                try Owner.finger.moveIn(s.device)
                try s.addGuarded(.biometryCurrentSet)
                s.read(.match)
                try change(s.device)
                if changesSet {
                    s.read(gives: errSecItemNotFound)
                    s.asked(.nobodyAsked) {
                        s.find([:], gives: errSecItemNotFound)
                        s.update([:], [kSecValueData: Data("n".utf8)], gives: errSecItemNotFound)
                    }
                } else {
                    s.read(.match)
                }
            }
            row("8.3", "biometryAny and user presence after \(name): as before", only: .generic) { s in
                try Owner.finger.moveIn(s.device)
                try s.addGuarded(.biometryAny, as: "any")
                try s.addGuarded(.userPresence, as: "presence")
                try change(s.device)
                s.read(.match, of: "any")
                s.read(.match, of: "presence")
                s.read(.fallback, of: "presence")
            }
            row("8.3", "biometryCurrentSet or passcode after \(name)", only: .generic) { s in
                try Owner.finger.moveIn(s.device)
                try s.addGuarded([.or, .biometryCurrentSet, .devicePasscode])
                try change(s.device)
                s.read(changesSet ? .passcode : .match)
            }
            row("8.3", "the state of the domain after \(name): \(changesSet ? "another" : "the same")", only: .generic)
            {
                s in
                try Owner.finger.moveIn(s.device)
                let context = s.context()
                s.canEvaluate(.deviceOwnerAuthenticationWithBiometrics, in: context)
                let before = context.evaluatedPolicyDomainState
                s.expect(before != nil, "a state")
                try change(s.device)
                let later = s.context()
                s.canEvaluate(.deviceOwnerAuthenticationWithBiometrics, in: later)
                s.expect((later.evaluatedPolicyDomainState == before) == !changesSet, "compared with the one before")
            }
            row("7.3", "a match of before \(name)", only: .generic) { s in
                try Owner.finger.moveIn(s.device)
                try s.addGuarded(.biometryAny, "dku")
                let context = s.context()
                s.evaluate(.deviceOwnerAuthenticationWithBiometrics, in: context, .match)
                try change(s.device)
                if changesSet { s.read(.match, in: context) }
            }
        }
        row("8.3", "an item that is gone can be made anew, for those enrolled now") { s in
            try Owner.finger.moveIn(s.device)
            try s.addGuarded(.biometryCurrentSet)
            try s.device.enroll(.leftIndex)
            s.read(gives: errSecItemNotFound)
            try s.addGuarded(.biometryCurrentSet)
            s.read(Answers("the new finger", .match(.leftIndex)))
            s.read(.match)
        }
        row("6.6, 8.3", "an item that can no longer be read can be deleted") { s in
            try Owner.finger.moveIn(s.device)
            try s.addGuarded(.biometryCurrentSet)
            try s.device.enroll(.leftIndex)
            s.asked(.nobodyAsked) { s.delete([:]) }
        }
        row("8.3", "biometryCurrentSet while no finger is enrolled any more", only: .generic) { s in
            try Owner.finger.moveIn(s.device)
            try s.addGuarded(.biometryCurrentSet)
            try s.device.removeAllFingers()
            s.read(gives: errSecItemNotFound)
        }
        row("8.3", "a sensor that is away makes no item invalid", only: .generic) { s in
            try Owner.finger.moveIn(s.device)
            try s.addGuarded(.biometryCurrentSet)
            for state in SensorState.allCases where state != .ready {
                s.device.setSensor(state)
                s.read(gives: errSecAuthFailed)
            }
            s.device.setSensor(.ready)
            s.read(.match)
        }
        row("8.3", "removing the passcode and setting one again", only: .generic) { s in
            try Owner.finger.moveIn(s.device)
            try s.addGuarded(.biometryAny)
            try s.device.removePasscode("1234")
            s.read(gives: errSecAuthFailed)
        }
    }
}
