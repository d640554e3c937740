// A PDF that only an unlocked phone can read: written under complete protection, read back, and refused while the phone is
// locked. The file on disk has nothing of it.

import DataProtection
import Foundation
import SecurityTesting

/// A page of text as a PDF file: five objects and the table of their offsets (ISO 32000-1, 7.5).
func pdf(saying text: String) -> Data {
    let content = "BT /F1 24 Tf 72 720 Td (\(text)) Tj ET"
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        "<< /Length \(content.utf8.count) >>\nstream\n\(content)\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    var file = "%PDF-1.4\n"
    var offsets: [Int] = []
    for (index, object) in objects.enumerated() {
        offsets.append(file.utf8.count)
        file += "\(index + 1) 0 obj\n\(object)\nendobj\n"
    }
    let table = file.utf8.count
    file += "xref\n0 \(objects.count + 1)\n0000000000 65535 f \n"
    for offset in offsets {
        let digits = String(offset)
        file += String(repeating: "0", count: 10 - digits.count) + digits + " 00000 n \n"
    }
    file += "trailer\n<< /Size \(objects.count + 1) /Root 1 0 R >>\nstartxref\n\(table)\n%%EOF\n"
    return Data(file.utf8)
}

/// The app's code, as it would be on a phone.
struct Reports {
    enum Answer: Equatable {
        case found(Data)
        /// Come back when protected data is available; nothing is lost.
        case locked
        case failed(CocoaError.Code)
    }

    let directory: URL

    func save(_ report: Data, as name: String) throws {
        // Atomic: after a loss of power the former report is there, or the new one.
        try report.writeProtected(
            to: directory.appendingPathComponent(name), options: [.completeFileProtection, .atomic])
    }

    func load(_ name: String) -> Answer {
        do {
            return .found(try Data(contentsOfProtected: directory.appendingPathComponent(name)))
        } catch let error as CocoaError where error.code == .fileReadNoPermission {
            return .locked
        } catch {
            return .failed((error as? CocoaError)?.code ?? .fileReadUnknown)
        }
    }
}

func check(_ isRight: Bool, _ step: String) {
    print("\(isRight ? "yes" : "NO "): \(step)")
    if !isRight { exit(1) }
}

let device = try VirtualDevice()
try device.setPasscode("1234")
let reports = Reports(directory: device.files.directory)
let report = pdf(saying: "Blood group: 0 negative")

try device.run { try reports.save(report, as: "report.pdf") }
check(
    device.run { reports.load("report.pdf") } == .found(report), "an unlocked phone reads the report as it was written")

let attributes = try device.run {
    try ProtectedFileManager.default.attributesOfItem(atPath: device.files.url("report.pdf").path)
}
check(
    (attributes[.protectionKey] as? FileProtectionType)?.rawValue == FileProtectionType.complete.rawValue,
    "its class is \(FileProtectionType.complete.rawValue)")
check(try device.files.containing("Blood group".utf8).isEmpty, "the file on disk does not have its text")
check(try device.files.containing("%PDF".utf8).isEmpty, "nor does it show that it is a PDF")

try device.lock(withGrace: true)
check(device.run { reports.load("report.pdf") } == .found(report), "the grace period of a lock still shows it")
try device.advance(by: .seconds(11))
check(device.run { reports.load("report.pdf") } == .locked, "a locked phone does not")
check(
    device.run { (try? reports.save(report, as: "second.pdf")) == nil }, "nor can it write another one of this class")

try device.unlock("1234")
check(device.run { reports.load("report.pdf") } == .found(report), "after the next unlock it is there again")

for finding in device.findings {
    print(finding)
    exit(1)
}
device.close()
