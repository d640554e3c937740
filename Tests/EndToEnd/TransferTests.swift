import Foundation
import Testing

@Suite("Import and export through the command line")
struct TransferTests {
    private static let csv = Installation.repositoryFile("Examples/Input/sample.csv")
    private static let netrc = Installation.repositoryFile("Examples/Input/sample.netrc")

    @Test("what a browser exported goes in, comes out, and goes into another device the same")
    func roundTrip() throws {
        let first = try ThrowawayDevice.unlocked()
        #expect(try first("import csv \(Self.csv) --json").json()["added"] as? Int == 5)
        #expect(try first("import csv \(Self.csv) --json").json()["existing"] as? Int == 5)
        #expect(try first("import csv -U \(Self.csv) --json").json()["replaced"] as? Int == 5)
        #expect(
            try first("find-internet-password -s bank.example.org -P 8443 -w").output == "0-1-moth-taped-in-the-log\n")
        #expect(try first("find-generic-password -s Wi-Fi -w").output == "a-word-for-guests-only\n")
        let exported = try first("export csv")
        #expect(exported.status == 0)

        let second = try ThrowawayDevice.unlocked()
        #expect(try second("import csv -", input: exported.output).status == 0)
        let again = try second("export csv")
        #expect(Set(again.output.split(separator: "\r\n")) == Set(exported.output.split(separator: "\r\n")))
    }

    @Test("netrc goes in and comes out, without what it cannot hold")
    func netrc() throws {
        let device = try ThrowawayDevice.unlocked()
        #expect(try device("import netrc \(Self.netrc) --json").json()["added"] as? Int == 6)
        #expect(try device("find-internet-password -s git.example.org -w").output == "helix B-form, photo 51\n")
        #expect(
            try device("find-internet-password -s registry.example.org -w").output
                == "quote \" and backslash \\ inside\n")
        let exported = try device("export netrc")
        #expect(exported.status == 0)
        #expect(
            exported.output.contains(
                "machine git.example.org login rosalind.franklin password \"helix B-form, photo 51\""))
    }

    @Test("a file that is wrong anywhere imports nothing, and its line is named, not quoted")
    func malformed() throws {
        let device = try ThrowawayDevice.unlocked()
        let csv = try device("import csv -", input: "url,username,password\nhttps://a.example,x,s3cret\nhttps://b,y\n")
        #expect(csv.status == 33)
        #expect(csv.errors.contains("line 3"))
        #expect(!csv.errors.contains("s3cret"))
        #expect(try device("import netrc -", input: "machine a password s3cret\nbogus s3cret").status == 33)
        #expect(try device("import netrc /nonexistent").status == 32)
        #expect(try device("dump-keychain --json").json()["items"] as? [String] == [])
    }

    @Test("a locked device imports nothing")
    func locked() throws {
        let device = try ThrowawayDevice.unlocked()
        try device("lock --now")
        #expect(try device("import netrc \(Self.netrc)").status == 36)
    }
}
