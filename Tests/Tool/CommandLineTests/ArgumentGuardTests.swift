import ArgumentParser
import LatchkeyCommandLineTool
import Testing

@Suite("Arguments")
struct ArgumentGuardTests {
    private static let secret = "hunter2"

    @Test(
        "a secret in the arguments is refused, however it is attached, and not repeated",
        arguments: [
            ["-w", secret], ["-w" + secret], ["-w=" + secret], ["-X", "6162"], ["-X6162"], ["-a", "b", "-w", secret],
            ["-w", "-"], ["-p", secret], ["-p" + secret], ["--password", secret], ["--password=" + secret],
            ["--secret=" + secret], ["--json", "-U", "-w", secret],
        ])
    func refused(_ arguments: [String]) {
        let failure = #expect(throws: CommandFailure.self) {
            try ArgumentGuard.refuseSecrets(in: ["add-generic-password"] + arguments)
        }
        #expect(failure?.status == .secretInArguments)
        #expect(failure?.text.contains(Self.secret) == false)
        #expect(failure?.advice?.contains("standard input") == true)
    }

    @Test(
        "flags without a value, and values of other options, are fine",
        arguments: [
            ["add-generic-password", "-w"], ["add-generic-password", "-a", "x", "-w", "-U"],
            ["add-generic-password", "-l", "work", "-X", "--json"], ["add-internet-password", "-p", "/path", "-w"],
            ["find-generic-password", "-w", "-s", "x"], ["add-generic-password", "-a", "-w"], ["status"], [],
        ])
    func accepted(_ arguments: [String]) throws {
        try ArgumentGuard.refuseSecrets(in: arguments)
    }

    @Test(
        "a word that may be a code of sync is refused and not repeated; others are fine",
        arguments: [
            ("join --store folder:/s \(secret)", false), ("join \(secret)", false), ("recover --code=\(secret)", false),
            ("recover --recovery-code \(secret)", false), ("join --invitation-code \(secret)", false),
            ("recovery-code new \(secret)", false), ("recovery-code \(secret)", false), ("approve \(secret)", false),
            ("create --owners-items no --json", true), ("create --owners-items=yes", true),
            ("create --owners-items \(secret)", false), ("create --owners-items=\(secret)", false),
            ("join -- \(secret)", false), ("join - --name n", false), ("create --name a \(secret)", false),
            ("join --store folder:/s --name n --no-wait --code-fd 4 --passcode-fd 3", true), ("join --help", true),
            ("recover --store folder:/s --", true), ("remove laptop", true), ("groups allow g", true), ("invite", true),
            ("recovery-code new --json", true),
            ("join --store etcd:https://h --ca a --certificate c --key k --user u --password-file p", true),
            ("join --store etcd:https://h --password-file p \(secret)", false), ("approve --yes", true),
        ])
    func codes(_ line: String, _ isAccepted: Bool) {
        let words = ["sync"] + line.split(separator: " ").map(String.init)
        do throws(CommandFailure) {
            try ArgumentGuard.refuseSecrets(in: words)
            #expect(isAccepted, "\(line)")
        } catch {
            #expect(!isAccepted && error.status == .secretInArguments, "\(line)")
            #expect(!error.text.contains(Self.secret) && error.advice?.contains("--code-fd") == true)
        }
    }

    @Test(
        "common options may stand before the command, and a negative number after `error` is a number",
        arguments: [
            (["--json", "status"], ["status", "--json"]),
            (["--device", "d", "item", "find", "a=b"], ["item", "find", "a=b", "--device", "d"]),
            (["--device=d", "lock", "--", "x"], ["lock", "--device=d", "--", "x"]),
            (["error", "-25300"], ["error", "--", "-25300"]),
            (["--json", "error", "-50"], ["error", "--json", "--", "-50"]),
            (["error", "--json", "-50"], ["error", "--json", "--", "-50"]),
            (["find-generic-password", "-w"], ["find-generic-password", "-w"]),
        ])
    func normalised(_ arguments: [String], _ expected: [String]) {
        #expect(ArgumentGuard.normalised(arguments) == expected)
    }

    @Test(
        "command lines that parse",
        arguments: [
            "add-generic-password -a a -s s -l l -D k -j c -c abcd -C efgh -T /bin/x -A -G g -U -w --accessible ak",
            "add-internet-password -a a -s s -d d -p /p -P 443 -r htps -t form -X --synchronizable --secret-fd 3",
            "find-internet-password -s s -g --access-group g --passcode-fd 4", "delete-generic-password -s s --all",
            "item find class=genp MatchLimit=all", "item update class=genp --set labl=x icmt=y --secret",
            "passcode set", "lock --now", "configure --erase-after-ten on --grace 5", "erase --yes", "export csv",
            "import netrc file -U", "import csv - --accessible aku", "explain --limit 3", "dump-keychain -d", "tour",
            "completions zsh", "start --device /x", "stop", "unlock", "status --json", "error 5",
            "team list --json", "team trust x.team --name Example --until 2027-01-31", "team revoke EIF5MUDOJM",
            "team trust x.team --until 2027-01-31T12:00:00Z --passcode-fd 3", "app list", "app show TEAM.mail --json",
            "app forget TEAM.mail", "app forget TEAM.mail --items remove", "app forget TEAM.mail --items keep",
            "configure --items-of-forgotten-apps remove",
        ])
    func parses(_ line: String) throws {
        _ = try Latchkey.parseAsRoot(line.split(separator: " ").map(String.init))
    }

    @Test(
        "command lines that do not",
        arguments: [
            "nonsense", "configure", "configure --grace -1", "configure --erase-after-ten maybe", "explain --limit 0",
            "add-internet-password -P 70000", "export xml", "export csv --json", "import csv", "completions tcsh",
            "status --device", "tour --device /x",
            "team trust", "team trust x.team --until tomorrow", "team trust x.team --until 2027-02-30",
            "team revoke", "team revoke eif5mudojm", "team revoke EIF5MUDOJ1", "app show", "app forget",
            "app forget TEAM.mail --items all", "configure --items-of-forgotten-apps on",
        ])
    func doesNotParse(_ line: String) {
        #expect(throws: (any Error).self) {
            _ = try Latchkey.parseAsRoot(line.split(separator: " ").map(String.init))
        }
    }
}
