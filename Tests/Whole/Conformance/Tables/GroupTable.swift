import Foundation
import Security
import SecurityTesting
import Testing

extension Table {
    /// Access groups: whose items a call sees and where it puts new ones (6.2).
    static let groups = Table { table in
        table.addLists()
        table.addOwnAndForeign()
        table.addMoves()
        table.addSpecialGroups()
        table.addAppClips()
        table.addNetworkExtensions()
    }

    private mutating func addAppClips() {
        row("6.2", "an app clip has the group of its application identifier") { s in
            let clip = s.seen(
                by: s.device.install(s.name, entitlements: Entitlements(applicationIdentifier: s.name, isAppClip: true))
            )
            clip.add([kSecValueData: Data("d".utf8)])
            s.expect(clip.attributes(of: [:])["agrp"], is: s.name, "group")
        }
        row("6.2", "the token group does not harm an app clip, and application groups are not its own") { s in
            let entitlements = Entitlements(
                keychainAccessGroups: ["com.apple.token"], applicationIdentifier: s.name,
                applicationGroups: ["group.\(s.name)"], isAppClip: true)
            let app = s.device.install(s.name, entitlements: entitlements)
            s.expect(app.accessGroups == [s.name, "com.apple.token"], "the list is \(app.accessGroups)")
            let clip = s.seen(by: app)
            clip.add([:])
            clip.find([kSecAttrAccessGroup: "group.\(s.name)"], gives: errSecMissingEntitlement)
        }
        row("6.2", "an app clip with another group is refused by all calls") { s in
            for groups in [["\(s.name).shared"], [s.name, "\(s.name).shared"]] {
                let entitlements = Entitlements(
                    keychainAccessGroups: groups, applicationIdentifier: s.name, isAppClip: true)
                let clip = s.seen(by: s.device.install(s.name, entitlements: entitlements))
                clip.add([:], gives: errSecRestrictedAPI)
                clip.find([:], gives: errSecRestrictedAPI)
                clip.update([:], [:], gives: errSecRestrictedAPI)
                clip.delete([:], gives: errSecRestrictedAPI)
            }
        }
        row("6.2", "an app clip makes no synchronizable item, neither by add nor by update") { s in
            let clip = s.seen(
                by: s.device.install(s.name, entitlements: Entitlements(applicationIdentifier: s.name, isAppClip: true))
            )
            clip.add([kSecAttrSynchronizable: true], gives: errSecRestrictedAPI)
            clip.add([:])
            clip.update([:], [kSecAttrSynchronizable: true], gives: errSecRestrictedAPI)
            s.expect(clip.count([:]) == 1, "the local item stays")
        }
    }

    private mutating func addNetworkExtensions() {
        let suffix = "com.apple.networkextensionsharing"
        row("6.2", "a network extension reaches the groups that extensions share") { s in
            let owner = s.seen(
                by: s.device.install(s.name + ".owner", keychainAccessGroups: ["\(s.name).\(suffix)", "\(s.name).own"]))
            owner.add([kSecAttrAccount: "shared", kSecValueData: Data("d".utf8)])
            owner.add([kSecAttrAccount: "own", kSecAttrAccessGroup: "\(s.name).own"])
            let entitlements = Entitlements(applicationIdentifier: s.name, sharesNetworkExtensions: true)
            let agent = s.seen(by: s.device.install(s.name, entitlements: entitlements))
            s.expect(
                agent.data(of: [kSecAttrAccessGroup: "\(s.name).\(suffix)"]), is: Data("d".utf8), "the shared item")
            agent.find([kSecAttrAccessGroup: "\(s.name).own"], gives: errSecMissingEntitlement)
        }
        row("6.2", "without its entitlement a group of network extensions is foreign") { s in
            s.find([kSecAttrAccessGroup: "\(s.name).\(suffix)"], gives: errSecMissingEntitlement)
            s.add([kSecAttrAccessGroup: "\(s.name).\(suffix)"], gives: errSecMissingEntitlement)
        }
    }

    private mutating func addLists() {
        row("6.2, 15.13", "the default of an add is the first keychain access group") { s in
            let app = s.seen(
                by: s.device.install(s.name, keychainAccessGroups: ["\(s.name).first", "\(s.name).second"]))
            app.add([:])
            s.expect(app.attributes(of: [:])["agrp"], is: "\(s.name).first", "group")
        }
        row("6.2", "without keychain access groups the application identifier is the default") { s in
            let app = s.device.install(s.name, team: "A1B2C3D4E5")
            let scene = s.seen(by: app)
            scene.add([:])
            s.expect(scene.attributes(of: [:])["agrp"], is: "A1B2C3D4E5.\(s.name)", "group")
        }
        row("6.2", "the list is keychain groups, application identifier, application groups") { s in
            let app = s.device.install(
                s.name, team: "A1B2C3D4E5", keychainAccessGroups: ["\(s.name).k1", "\(s.name).k2"],
                applicationGroups: ["group.\(s.name)"])
            let list = ["\(s.name).k1", "\(s.name).k2", "A1B2C3D4E5.\(s.name)", "group.\(s.name)"]
            s.expect(app.accessGroups == list, "the list is \(app.accessGroups)")
            let scene = s.seen(by: app)
            for group in list { scene.add([kSecAttrAccessGroup: group]) }
            s.expect(scene.count([:]) == 4, "an item in each")
        }
        row("6.2", "an associated application identifier comes before the app's own") { s in
            let app = s.device.install(
                s.name,
                entitlements: Entitlements(
                    associatedApplicationIdentifiers: ["\(s.name).associated"], applicationIdentifier: "\(s.name).own"))
            let scene = s.seen(by: app)
            scene.add([:])
            s.expect(scene.attributes(of: [:])["agrp"], is: "\(s.name).associated", "group")
        }
        row("6.2", "an app without any group is refused by all calls") { s in
            let app = s.seen(by: s.device.install(s.name, entitlements: Entitlements()))
            app.add([:], gives: errSecMissingEntitlement)
            app.find([:], gives: errSecMissingEntitlement)
            app.update([:], [:], gives: errSecMissingEntitlement)
            app.delete([:], gives: errSecMissingEntitlement)
        }
        row("6.2", "an app that is denied the keychain is refused by all calls") { s in
            let entitlements = Entitlements(applicationIdentifier: s.name, isDeniedKeychain: true)
            let app = s.seen(by: s.device.install(s.name, entitlements: entitlements))
            app.add([:], gives: errSecNotAvailable)
            app.find([:], gives: errSecNotAvailable)
            app.update([:], [:], gives: errSecNotAvailable)
            app.delete([:], gives: errSecNotAvailable)
        }
    }

    private mutating func addOwnAndForeign() {
        row("6.2, 15.12", "a foreign group that is named is refused by all calls") { s in
            let other = s.seen(by: s.device.install(s.name + ".other"))
            other.add([:])
            let foreign = other.app.accessGroups[0]
            s.add([kSecAttrAccessGroup: foreign], gives: errSecMissingEntitlement)
            s.find([kSecAttrAccessGroup: foreign], gives: errSecMissingEntitlement)
            s.update([kSecAttrAccessGroup: foreign], [:], gives: errSecMissingEntitlement)
            s.delete([kSecAttrAccessGroup: foreign], gives: errSecMissingEntitlement)
            s.expect(other.count([:]) == 1, "still there")
        }
        row("6.2", "a group that no program has is refused as well") { s in
            for group in ["absent.\(s.name)", "", "*"] {
                s.find([kSecAttrAccessGroup: group], gives: errSecMissingEntitlement)
                s.add([kSecAttrAccessGroup: group], gives: errSecMissingEntitlement)
            }
        }
        row("6.2, 15.12", "another app's items are not found") { s in
            let other = s.seen(by: s.device.install(s.name + ".other"))
            other.add([kSecAttrAccount: "theirs"])
            s.find([kSecAttrAccount: "theirs"], gives: errSecItemNotFound)
            s.update([kSecAttrAccount: "theirs"], [:], gives: errSecItemNotFound)
            s.delete([kSecAttrAccount: "theirs"], gives: errSecItemNotFound)
        }
        row("6.2", "two apps may have items of the same name") { s in
            let other = s.seen(by: s.device.install(s.name + ".other"))
            s.add([kSecAttrAccount: "a", kSecValueData: Data("mine".utf8)])
            other.add([kSecAttrAccount: "a", kSecValueData: Data("theirs".utf8)])
            s.expect(s.data(of: [kSecAttrAccount: "a"]), is: Data("mine".utf8), "data")
            s.delete([kSecAttrAccount: "a"])
            s.expect(other.data(of: [kSecAttrAccount: "a"]), is: Data("theirs".utf8), "data of the other")
        }
        row("6.2", "apps share the items of a shared group") { s in
            let one = s.seen(
                by: s.device.install(s.name + ".one", keychainAccessGroups: ["\(s.name).one", "\(s.name).shared"]))
            let two = s.seen(
                by: s.device.install(s.name + ".two", keychainAccessGroups: ["\(s.name).two", "\(s.name).shared"]))
            one.add([kSecAttrAccessGroup: "\(s.name).shared", kSecValueData: Data("both".utf8)])
            s.expect(two.data(of: [:]), is: Data("both".utf8), "data")
            two.update([:], [kSecValueData: Data("changed".utf8)])
            s.expect(one.data(of: [:]), is: Data("changed".utf8), "data after the other app's update")
            two.delete([:])
            one.find([:], gives: errSecItemNotFound)
        }
        row("6.2", "without a group all own groups are searched, updated and deleted") { s in
            let app = s.seen(
                by: s.device.install(s.name, keychainAccessGroups: ["\(s.name).1", "\(s.name).2", "\(s.name).3"]))
            for group in app.app.accessGroups { app.add([kSecAttrAccessGroup: group]) }
            s.expect(app.count([:]) == 4, "all groups searched")
            app.update([:], [kSecAttrLabel: "l"])
            s.expect(app.count([kSecAttrLabel: "l"]) == 4, "all groups updated")
            app.delete([:])
            s.expect(app.count([:]) == 0, "all groups deleted")
        }
        row("6.2", "a group that is named limits a call to it") { s in
            let app = s.seen(by: s.device.install(s.name, keychainAccessGroups: ["\(s.name).1", "\(s.name).2"]))
            app.add([kSecAttrAccessGroup: "\(s.name).1"])
            app.add([kSecAttrAccessGroup: "\(s.name).2"])
            s.expect(app.count([kSecAttrAccessGroup: "\(s.name).2"]) == 1, "one found")
            app.update([kSecAttrAccessGroup: "\(s.name).2"], [kSecAttrLabel: "two"])
            app.delete([kSecAttrAccessGroup: "\(s.name).1"])
            s.expect(app.attributes(of: [:])["labl"], is: "two", "label")
        }
        row("5.1", "a group given as Data is its text") { s in
            let group = s.app.accessGroups[0]
            s.add([kSecAttrAccessGroup: Data(group.utf8)])
            s.expect(s.attributes(of: [kSecAttrAccessGroup: Data(group.utf8)])["agrp"], is: group, "group")
        }
        let wrong = [
            Sample("Number") { 1 }, Sample("Boolean") { true }, Sample("null") { NSNull() },
            Sample("Data that is no UTF-8") { Data([0xff, 0xfe]) }, Sample("Array") { ["group"] },
        ]
        for sample in wrong {
            row("5.1", "a group that is \(sample.name) is refused") { s in
                s.allRefuse([kSecAttrAccessGroup: sample.make()], gives: errSecParam)
            }
        }
    }

    private mutating func addMoves() {
        row("6.2", "an item moves between own groups") { s in
            let app = s.seen(by: s.device.install(s.name, keychainAccessGroups: ["\(s.name).a", "\(s.name).b"]))
            app.add([kSecAttrAccount: "x", kSecValueData: Data("d".utf8)])
            app.update([kSecAttrAccessGroup: "\(s.name).a"], [kSecAttrAccessGroup: "\(s.name).b"])
            app.find([kSecAttrAccessGroup: "\(s.name).a"], gives: errSecItemNotFound)
            s.expect(app.data(of: [kSecAttrAccessGroup: "\(s.name).b"]), is: Data("d".utf8), "data")
        }
        row("6.2", "a move onto another item collides") { s in
            let app = s.seen(by: s.device.install(s.name, keychainAccessGroups: ["\(s.name).a", "\(s.name).b"]))
            app.add([kSecAttrAccessGroup: "\(s.name).a"])
            app.add([kSecAttrAccessGroup: "\(s.name).b"])
            app.update(
                [kSecAttrAccessGroup: "\(s.name).a"], [kSecAttrAccessGroup: "\(s.name).b"], gives: errSecDuplicateItem)
            s.expect(app.count([:]) == 2, "both still there")
        }
        row("6.2, 6.5", "a move into a foreign group is refused") { s in
            s.add([:])
            s.update([:], [kSecAttrAccessGroup: "nobody.\(s.name)"], gives: errSecMissingEntitlement)
            s.expect(s.attributes(of: [:])["agrp"], is: s.app.accessGroups[0], "group")
        }
    }

    private mutating func addSpecialGroups() {
        row("6.2", "the token group comes last") { s in
            let app = s.device.install(s.name, keychainAccessGroups: ["com.apple.token", "\(s.name).a"])
            s.expect(app.accessGroups.last == "com.apple.token", "the list is \(app.accessGroups)")
            let scene = s.seen(by: app)
            scene.add([:])
            s.expect(scene.attributes(of: [:])["agrp"], is: "\(s.name).a", "group")
        }
        row("6.2", "an app that has only the token group cannot write") { s in
            let entitlements = Entitlements(keychainAccessGroups: ["com.apple.token"])
            let app = s.seen(by: s.device.install(s.name, entitlements: entitlements))
            app.add([:], gives: errSecMissingEntitlement)
        }
        row("6.2", "the group * allows every group") { s in
            s.add([kSecAttrAccount: "a", kSecValueData: Data("d".utf8)])
            let entitlements = Entitlements(keychainAccessGroups: ["\(s.name).all", "*"])
            let all = s.seen(by: s.device.install(s.name + ".all", entitlements: entitlements))
            let group = s.app.accessGroups[0]
            s.expect(all.data(of: [kSecAttrAccessGroup: group]), is: Data("d".utf8), "data")
            all.add([kSecAttrAccessGroup: group, kSecAttrAccount: "b"])
            s.find([kSecAttrAccount: "b"])
            all.add([kSecAttrAccount: "c"])
            s.expect(all.attributes(of: [kSecAttrAccessGroup: "\(s.name).all"])["acct"], is: "c", "default group")
        }
    }
}
