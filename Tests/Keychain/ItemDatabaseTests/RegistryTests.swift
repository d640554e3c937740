import GRDB
import LatchkeyItemDatabase
import LatchkeyItemModel
import Testing

@Suite("Teams, apps and options")
struct RegistryTests {
    @Test("come back as they were written, after a reopening too, in the order of their names")
    func roundTrip() throws {
        let file = try DatabaseFile()
        let database = try file.open()
        try database.write { writer in
            for number in [3, 1, 2] {
                try writer.setTeam(team(number))
                try writer.setApp(app(number))
            }
            try writer.set([1, 2], named: "option")
            try writer.set([], named: "empty")
        }
        database.close()
        let again = try file.open()
        #expect(try again.read { try $0.teams() } == [team(1), team(2), team(3)])
        #expect(try again.read { try $0.team("TEAM2") } == team(2))
        #expect(try again.read { try $0.team("TEAM9") } == nil)
        #expect(try again.read { try $0.apps() } == [app(1), app(3), app(2)])
        #expect(try again.read { try $0.app("TEAM2.app") } == app(2))
        #expect(try again.read { try $0.app("TEAM2") } == nil)
        #expect(try again.read { try $0.appCount() } == 3)
        #expect(try again.read { try $0.setting(named: "option") } == [1, 2])
        #expect(try again.read { try $0.setting(named: "empty") } == [])
        #expect(try again.read { try $0.setting(named: "other") } == nil)
    }

    @Test("are replaced by a row of the same name")
    func replaced() throws {
        let database = try DatabaseFile().open()
        var changed = team(1)
        changed.name = "other"
        changed.revoked = nil
        let other = changed
        try database.write { writer in
            try writer.setTeam(team(1))
            try writer.setTeam(other)
            try writer.setApp(app(1))
            try writer.setApp(app(1, lastSeen: 77))
            try writer.set([1], named: "option")
            try writer.set([2], named: "option")
        }
        #expect(try database.read { try $0.teams() } == [other])
        #expect(try database.read { try $0.apps() } == [app(1, lastSeen: 77)])
        #expect(try database.read { try $0.setting(named: "option") } == [2])
    }

    @Test("an app that is deleted is gone, the others stay")
    func deleted() throws {
        let database = try DatabaseFile().open()
        try database.write { writer in
            try writer.setApp(app(1))
            try writer.setApp(app(2))
            try writer.deleteApp("TEAM2.app")
        }
        #expect(try database.read { try $0.apps() } == [app(1)])
    }

    @Test("to make room the unsigned app that was not seen for longest goes, a signed one never")
    func oldestUnsigned() throws {
        let database = try DatabaseFile().open()
        try database.write { writer in
            try writer.setApp(app(1, lastSeen: 20))
            try writer.setApp(app(3, lastSeen: 10))
            try writer.setApp(app(2, lastSeen: 1))
        }
        #expect(try database.write { try $0.deleteOldestUnsignedApp() })
        #expect(try database.read { try $0.apps().map(\.application) } == ["/opt/app1", "TEAM2.app"])
        #expect(try database.write { try $0.deleteOldestUnsignedApp() })
        #expect(try !database.write { try $0.deleteOldestUnsignedApp() })
        #expect(try database.read { try $0.apps() } == [app(2, lastSeen: 1)])
    }

    @Test("go with everything else when the database forgets everything")
    func forgotten() throws {
        let database = try DatabaseFile().open()
        try database.write { writer in
            try writer.setTeam(team(1))
            try writer.setApp(app(1))
            try writer.set([1], named: "option")
        }
        try database.write { try $0.deleteEverything() }
        #expect(try database.read { try $0.teams() }.isEmpty)
        #expect(try database.read { try $0.apps() }.isEmpty)
        #expect(try database.read { try $0.setting(named: "option") } == nil)
    }

    @Test("the items of a group are those of every table, tombstones aside")
    func itemCounts() throws {
        let database = try DatabaseFile().open()
        try database.write { writer in
            try writer.insert(row(1, group: "a"))
            try writer.insert(row(2, group: "a", sync: true, tombstone: true))
            try writer.insert(row(3, in: .internetPassword, group: "a"))
            try writer.insert(row(4, group: "b"))
            try writer.insert(row(5, in: .key, group: "a"))
            try writer.insert(row(6, in: .certificate, group: "a"))
        }
        #expect(try database.read { try $0.itemCount(inAccessGroup: "a") } == 4)
        #expect(try database.read { try $0.itemCount(inAccessGroup: "b") } == 1)
        #expect(try database.read { try $0.itemCount(inAccessGroup: "c") } == 0)
    }

    @Test(
        "a value of another type than ours is damage, and ends no process",
        arguments: [
            "UPDATE teams SET key = 7", "UPDATE teams SET trusted = 'today'", "UPDATE teams SET expires = x'01'",
            "UPDATE apps SET lastseen = x'00'", "UPDATE apps SET digest = 1.5", "UPDATE apps SET firstseen = 'x'",
        ])
    func wrongTypes(_ change: String) throws {
        let file = try DatabaseFile()
        let database = try file.open()
        try database.write { writer in
            try writer.setTeam(team(1))
            try writer.setApp(app(1))
        }
        try file.raw { try $0.execute(sql: change) }
        let failure = #expect(throws: ItemDatabaseFailure.self) {
            _ = try database.read { try $0.teams() }
            _ = try database.read { try $0.apps() }
        }
        guard case .damaged? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }
}
